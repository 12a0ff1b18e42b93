const key = 'countersign.destination'

/** Keeps, for this tab, where a login that leaves this site leads to. */
export function keepDestination(path: string | undefined): void {
  if (path === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, path)
}

/** What was kept, once. */
export function takeDestination(): string | undefined {
  const kept = sessionStorage.getItem(key) ?? undefined
  sessionStorage.removeItem(key)
  return kept
}

let taken: string | null = null

/** What the provider sent the browser back with. It leaves the address at once, so that no history or bookmark has it. */
export function takeAnswer(): string {
  if (taken === null) {
    taken = location.search
    history.replaceState(history.state, '', location.pathname)
  }
  return taken
}
