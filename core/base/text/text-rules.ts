/** The length of a text in characters: code points, as JSON Schema counts them. */
export function charactersOf(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Has no UTF-8, so that it could be neither stored, hashed nor signed as it is. */
export function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed()
}

/** The first `most` UTF-16 units of a text, without half a character at the end. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.slice(0, most)
  return hasLoneSurrogate(start) ? start.slice(0, -1) : start
}

/** What every store keeps exactly as given: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !hasLoneSurrogate(text)
}

/** Control characters forge lines in logs and exports. */
export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text)
}
