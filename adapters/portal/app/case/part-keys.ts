const parts = () => [...document.querySelectorAll<HTMLElement>('[data-part]')]

function focus(part: HTMLElement | undefined): void {
  part?.focus({ preventScroll: true })
  part?.scrollIntoView({ block: 'nearest' })
}

/** The focus goes to the next part, or the one before. */
export function stepThroughParts(by: 1 | -1): void {
  const all = parts()
  const at = all.findIndex((part) => part.contains(document.activeElement))
  focus(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by])
}

/** Unfolds the part with the focus, else the first that is folded. */
export function unfoldPart(): void {
  const all = parts()
  const own = all.find((part) => part.contains(document.activeElement))
  const folded = [own, ...all].find((part) => part?.querySelector('.unfold'))
  folded?.querySelector<HTMLElement>('.unfold')?.click()
  focus(folded)
}

/** The focus goes to the first part that was not seen yet. */
export function toFirstUnseen(): void {
  const part = document.querySelector<HTMLElement>('[data-part][data-seen="false"]')
  const unfold = part?.querySelector<HTMLElement>('.unfold')
  focus(unfold ?? part ?? undefined)
}
