/** Nothing was signed, and so nothing was sent; the message is the sentence that a page tells. */
export class NotSigned extends Error {
  constructor(message = 'Nothing was signed, so nothing was done.') {
    super(message)
  }
}
