/** One request as it is sent; a list of values is sent as that many headers. */
export interface Request {
  readonly method: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array
  /** Added to the URL, such as `?debug=1`. */
  readonly search?: string
  /** Sent after a chunked body. */
  readonly trailers?: Readonly<Record<string, string>>
  /** Name of a header that is sent with another line of its value after it, which RFC 9112, 5.2, has servers refuse. */
  readonly folded?: string
  /** 1.1 unless given. */
  readonly version?: '1.0'
}
