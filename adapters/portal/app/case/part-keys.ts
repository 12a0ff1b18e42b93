import { bottomOfRoom } from './seen.ts'

/** What stays of a screen when the next one of a long part is shown. */
const keptOfScreen = 48
const gap = 8

const parts = () => [...document.querySelectorAll<HTMLElement>('[data-part]')]

/** Focuses a part and brings it into the room above the form: whole, or its begin; once more, its next screen. */
function focus(part: HTMLElement | undefined): void {
  if (!part) return
  const wasIn = part.contains(document.activeElement)
  part.focus({ preventScroll: true })
  const { top, bottom, height } = part.getBoundingClientRect()
  const room = bottomOfRoom()
  if (top >= 0 && bottom <= room) return
  if (height <= room - gap) window.scrollBy(0, top < 0 ? top - gap : bottom - room + gap)
  else if (wasIn && top < room && bottom > room)
    window.scrollBy(0, Math.min(bottom - room + gap, room - keptOfScreen))
  else window.scrollBy(0, top - gap)
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
  if (unfold) unfold.focus()
  else focus(part ?? undefined)
}
