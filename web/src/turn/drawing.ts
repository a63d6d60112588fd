// When what changed is drawn: at once after a pause, and then so often that it reads as flowing, however much comes.

const HIDDEN_DRAW_MS = 200;
const DRAW_MS = 60;

export class Drawing {
  private waiting = false;
  private drawn = 0;

  constructor(private readonly draw: () => void) {}

  schedule(): void {
    if (this.waiting) return;
    this.waiting = true;
    const now = () => {
      this.waiting = false;
      this.drawn = performance.now();
      this.draw();
    };
    const wait = this.drawn + DRAW_MS - performance.now();
    if (document.hidden) window.setTimeout(now, HIDDEN_DRAW_MS);
    else if (wait > 0) window.setTimeout(() => requestAnimationFrame(now), wait);
    else requestAnimationFrame(now);
  }
}
