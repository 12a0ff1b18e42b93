/** Has no UTF-8, so that it could be neither stored, hashed nor signed as it is. */
export function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed()
}

/** What every store keeps exactly as given: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !hasLoneSurrogate(text)
}

/** Control characters forge lines in logs and exports. */
export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text)
}
