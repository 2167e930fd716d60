// A value that others watch.

/** A value, and whoever wants to know when it changes. */
export interface Cell<T> {
  readonly value: T;
  set(value: T): void;
  /** Calls back now and at every change. The answer ends that. */
  watch(callback: (value: T) => void): () => void;
}

export function cell<T>(initial: T): Cell<T> {
  let value = initial;
  const watchers = new Set<(value: T) => void>();
  return {
    get value() {
      return value;
    },
    set(next: T) {
      if (Object.is(next, value)) return;
      value = next;
      for (const watcher of [...watchers]) watcher(value);
    },
    watch(callback) {
      watchers.add(callback);
      callback(value);
      return () => watchers.delete(callback);
    },
  };
}
