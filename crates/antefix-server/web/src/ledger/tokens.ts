// The tokens of epochs in a table: asked for as they come into sight, one after the other, because counting may take its time.

import { api } from "../api/client.ts";
import { estimate, rough } from "../words.ts";

/** Fills places with the tokens of a conversation's epochs. */
export function counter(id: string): (place: HTMLElement, epoch: number) => void {
  const epochs = new Map<Element, number>();
  let last = Promise.resolve();
  const sight = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      const epoch = epochs.get(target);
      if (!isIntersecting || epoch === undefined) continue;
      sight.unobserve(target);
      last = last.then(() => count(target as HTMLElement, epoch));
    }
  });
  async function count(place: HTMLElement, epoch: number): Promise<void> {
    if (!place.isConnected) return;
    const counts = await api.tokens(id, epoch).then(
      (told) => told.token_counts,
      () => undefined,
    );
    place.textContent = counts ? rough(counts.total) : "–";
    if (counts) place.title = `${estimate(counts.total)} tokens`;
  }
  return (place, epoch) => {
    epochs.set(place, epoch);
    sight.observe(place);
  };
}
