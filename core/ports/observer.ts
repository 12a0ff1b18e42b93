/** What operators and tests may watch; fields never hold secrets or bodies. */
export interface Observer {
  event(name: string, fields: Readonly<Record<string, string | number | boolean | null>>): void
}

/** An observer that tells nobody. */
export const silentObserver: Observer = { event: () => {} }
