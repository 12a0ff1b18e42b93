import { bottomOfRoom, topOfRoom } from './seen.ts'

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
  const [begin, end] = [topOfRoom(), bottomOfRoom()]
  if (top >= begin && bottom <= end) return
  if (height <= end - begin - gap)
    window.scrollBy(0, top < begin ? top - begin - gap : bottom - end + gap)
  else if (wasIn && top < end && bottom > end)
    window.scrollBy(0, Math.min(bottom - end + gap, end - begin - keptOfScreen))
  else window.scrollBy(0, top - begin - gap)
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

/** The focus goes to the first part that changed; where the document is as it was, to what became of the case. */
export function toChanged(): void {
  const part = parts().find((each) => each.classList.contains('new'))
  if (part) focus(part)
  else document.getElementById('record')?.focus()
  // The button that was pressed is gone, and with it the place of the focus.
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>('.decide')?.focus({ preventScroll: true })
}

/** The focus goes to the first part that was not seen yet. */
export function toFirstUnseen(): void {
  const part = document.querySelector<HTMLElement>('[data-part][data-seen="false"]')
  const unfold = part?.querySelector<HTMLElement>('.unfold')
  if (unfold) unfold.focus()
  else focus(part ?? undefined)
}
