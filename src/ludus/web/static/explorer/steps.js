// The controls that step through a search: buttons, slider, speed, and what happens at a step. Knows numbers of steps
// only; its owner shows them.

import { h, numberText, t } from "../page.js";
import { select } from "../components.js";
import { stepButtons } from "../replay.js";

const SPEEDS_MS = { slow: 700, medium: 220, fast: 60 };

export class StepControls {
  /** @param {{ goTo: (step: number) => void, nextCut: () => void }} owner */
  constructor(owner) {
    this.owner = owner;
    this.step = 0;
    this.last = 0;
    /** The interval while the search is played. */
    this.playing = 0;
    this.ms = SPEEDS_MS.slow;
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": t("steps.slider"),
      input: () => owner.goTo(Number(this.slider.value)),
    });
    this.number = h("output.number-of");
    this.text = h("p.happens", { role: "status" });
    this.toggle = h("button.button.roll", { click: () => this.togglePlaying() }, t("steps.play"));
    const [first, back, next, last] = stepButtons((name) => t(`steps.${name}`), {
      first: () => owner.goTo(0),
      back: () => owner.goTo(this.step - 1),
      next: () => owner.goTo(this.step + 1),
      last: () => owner.goTo(this.last),
    });
    const cut = h(
      "button.quiet.cutter",
      { click: owner.nextCut },
      h("span", { "aria-hidden": "true" }, "✂"),
      t("steps.cut"),
    );
    const speeds = Object.keys(SPEEDS_MS).map((name) => [name, t(`speed.${name}`)]);
    const speed = select(speeds, "slow", {}, (name) => this.setSpeed(/** @type {keyof typeof SPEEDS_MS} */ (name)));
    this.element = h(
      "section.stepping",
      { "aria-label": t("steps.title") },
      h(
        "div.buttons",
        first,
        back,
        this.toggle,
        next,
        last,
        cut,
        h("label.speed", t("steps.speed"), speed),
        this.number,
      ),
      this.slider,
      this.text,
    );
  }

  /** Shows what the search does now. @param {number} step @param {number} last @param {string} text */
  show(step, last, text) {
    this.step = step;
    this.last = last;
    this.slider.max = String(last);
    this.slider.value = String(step);
    this.number.textContent = t("steps.number", { n: numberText(step + 1), of: numberText(last + 1) });
    this.text.textContent = text;
  }

  togglePlaying() {
    if (this.playing) return this.pause();
    if (this.step === this.last) this.owner.goTo(0);
    this.toggle.textContent = t("steps.pause");
    this.playing = setInterval(() => this.owner.goTo(this.step + 1), this.ms);
  }

  pause() {
    clearInterval(this.playing);
    this.playing = 0;
    this.toggle.textContent = t("steps.play");
  }

  /** @param {keyof typeof SPEEDS_MS} name */
  setSpeed(name) {
    this.ms = SPEEDS_MS[name];
    if (!this.playing) return;
    this.pause();
    this.togglePlaying();
  }
}
