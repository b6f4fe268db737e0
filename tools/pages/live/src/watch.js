// What a server does now: asks the admin endpoint every other second, as long as the page is seen. Opening the page switches on
// what it needs to be told.
//
// Times are the server's: a clock that is moved by hand stands still here, too.
import { HeatHistory } from "./heat_history.js";
import { ask, placeInAddress, setPlaceInAddress } from "./server.js";
import { Pace, totalsOf } from "./totals.js";

const PERIOD = 2000;  // milliseconds between two looks
const RENEWAL = 20000;  // between two requests to go on recording, which last for a minute
const STEADY = 3;  // looks for which something else must be the busiest before it is shown

const queryOf = (of) => `table=${encodeURIComponent(of.table)}` + (of.index ? `&index=${encodeURIComponent(of.index)}` : "");

function stateText(time) {
  return `${location.host}, ${new Date(time.now * 1000).toISOString().slice(0, 19).replace("T", " ")}` +
    (time.mode === "manual" ? " by the server's clock, which is moved by hand" : "");
}

/** `changed` is called when there is something else to show; `isRead` says whether somebody has the focus in the details. */
export class Watch {
  constructor({ changed, isRead }) {
    Object.assign(this, { changed, isRead });
    this.state = "Asking the server …";
    this.trouble = null;  // the error of the last look
    this.isPaused = false;
    this.follows = true;  // the busiest
    this.resource = undefined;  // the name of what is shown in detail
    this.totals = this.before = undefined;  // of the last two looks, `seconds` apart
    this.seconds = 1;
    this.details = undefined;  // { history, keys, capacity } of the resource, once there are figures
    this.pace = new Pace();
    this.history = new HeatHistory();
    this.renewed = 0;
    this.busier = { name: undefined, looks: 0 };
  }

  /** Looks until what it returns is called. */
  start() {
    const look = () => this.look();
    const goTo = () => { if (this.totals?.resources.has(placeInAddress())) this.pick(placeInAddress()); };
    document.addEventListener("visibilitychange", look);
    addEventListener("hashchange", goTo);
    look();
    return () => {
      clearTimeout(this.timer);
      this.isPaused = true;
      document.removeEventListener("visibilitychange", look);
      removeEventListener("hashchange", goTo);
    };
  }

  // --- what is chosen

  pause(isPaused) {
    this.isPaused = isPaused;
    // A look under way says it only at its end.
    this.changed();
    this.look();
  }

  follow(isOn) {
    this.setFollowing(isOn);
    this.look();
  }

  // What a person chooses stays, and stands in the address; what is followed does not.
  pick(name) {
    this.choose(name);
    this.setFollowing(false);
  }

  setFollowing(isOn) {
    this.follows = isOn;
    setPlaceInAddress(isOn ? undefined : this.resource);
    this.changed();
  }

  choose(name) {
    this.resource = name;
    this.details = undefined;
    this.forgetHistory();
    this.changed();
    this.look();
  }

  forgetHistory() {
    this.history = new HeatHistory();
    this.renewed = 0;
  }

  // The one to show now: the busiest, once it has been that for a while and clearly, so that two alike do not take turns.
  busiest() {
    const [first] = this.pace.order();
    if (!this.resource) return first;
    const isBusier = first !== undefined && first !== this.resource && this.pace.of(first) > 1.5 * this.pace.of(this.resource);
    this.busier = isBusier ? { name: first, looks: this.busier.name === first ? this.busier.looks + 1 : 1 } : { name: undefined, looks: 0 };
    // Who is reading here is not taken elsewhere.
    return this.busier.looks >= STEADY && !this.isRead() ? first : this.resource;
  }

  // --- looking

  async lookAtTables() {
    const text = await ask("metrics"), at = performance.now();
    this.before = this.totals;
    this.seconds = this.seen === undefined ? 1 : (at - this.seen) / 1000;
    this.seen = at;
    this.totals = totalsOf(text);
    this.pace.add(this.totals, this.before, this.seconds);
    const { resources } = this.totals, wanted = placeInAddress();
    if (!resources.has(this.resource)) this.resource = undefined;
    if (!this.resource && resources.has(wanted)) this.pick(wanted);
    const next = this.follows || !this.resource ? this.busiest() : this.resource;
    if (next !== this.resource && next !== undefined) this.choose(next);
    this.changed();
  }

  async lookAtResource(stands) {
    const name = this.resource, of = this.totals.resources.get(name);
    if (!of) return;
    if (Date.now() - this.renewed > RENEWAL) {
      await ask("heat", { table: of.table });
      this.renewed = Date.now();
    }
    const since = this.history.since();
    const [heat, keys, capacity] = await Promise.all([
      ask(`heat?${queryOf(of)}${since === undefined ? "" : `&since=${since}`}`), ask(`hot-keys?${queryOf(of)}`),
      ask(`capacity?table=${encodeURIComponent(of.table)}`)]);
    if (name !== this.resource) return;
    // It has ended while nobody was looking, or the server has begun anew.
    if (!heat.watched || heat.now < this.history.now) {
      this.forgetHistory();
      return;
    }
    this.history.add(heat);
    this.history.stands = stands;
    this.details = { history: this.history, keys, capacity };
    this.changed();
  }

  // A table that was deleted meanwhile is gone at the next look.
  forgetDeleted(problem) {
    if (problem.status !== 404) throw problem;
    this.renewed = 0;
  }

  async look() {
    if (this.isBusy) {
      this.isAgain = true;
      return;
    }
    this.isAgain = false;
    clearTimeout(this.timer);
    if (document.hidden) return;
    if (this.isPaused) {
      this.state = "Paused.";
      this.changed();
      return;
    }
    this.isBusy = true;
    try {
      const time = await ask("clock");
      await this.lookAtTables();
      await this.lookAtResource(time.mode === "manual").catch((problem) => this.forgetDeleted(problem));
      this.state = stateText(time);
      this.trouble = null;
    } catch (problem) {
      this.trouble = problem;
      this.renewed = 0;
    }
    this.changed();
    this.isBusy = false;
    this.timer = setTimeout(() => this.look(), this.isAgain ? 0 : PERIOD);
  }
}
