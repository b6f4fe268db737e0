// When a picture must be drawn again: at another width, in other colours and on paper.
import { useEffect, useRef } from "preact/hooks";

/** A colour of style.css, as it is now: color("--c1"). */
export const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function useRedraw(draw) {
  const latest = useRef();
  latest.current = draw;
  useEffect(() => {
    const again = () => latest.current(), dark = matchMedia("(prefers-color-scheme: dark)");
    addEventListener("resize", again);
    addEventListener("beforeprint", again);
    dark.addEventListener("change", again);
    return () => {
      removeEventListener("resize", again);
      removeEventListener("beforeprint", again);
      dark.removeEventListener("change", again);
    };
  }, []);
}
