// Who is reading is not disturbed.
import { Component, createElement, createRef } from "preact";

/** Stays as it is while the focus is in it. `as`: the name of its element. */
export class Undisturbed extends Component {
  root = createRef();

  shouldComponentUpdate() { return !this.root.current.contains(document.activeElement); }

  render({ as = "div", children }) { return createElement(as, { ref: this.root }, children); }
}
