/** Headers that answers may have beside those of HTTP itself, and what each tells; an operation names its own. */
export const answerHeaders = {
  'X-Request-Id':
    'Names the request in logs and errors: the one that was sent, if it is 1 to 64 of `A-Z a-z 0-9 . _ -`.',
  'X-RateLimit-Limit': 'Requests of the key within a rolling minute.',
  'X-RateLimit-Remaining': 'How many of them are left.',
  'X-RateLimit-Reset': 'When the next one is free again, in seconds since the epoch (UTC).',
  'Retry-After': 'Seconds to wait before the request is sent again.',
  'WWW-Authenticate': 'The scheme of the credential that is missing (RFC 9110).',
  'Accept-Encoding': 'Encodings of a body that the operation reads.',
  ETag: 'The version of what is answered, for `If-None-Match`; of a case also for `If-Match`.',
  'Set-Cookie': 'The cookie of the session, and that of the device where a session is issued.',
  'Content-Disposition': 'The name of the file.',
  'X-Package-Id': 'The id of the package, under which its copy can be read.',
} as const

/** The name of such a header. */
export type AnswerHeader = keyof typeof answerHeaders

/** Headers whose value is a whole number. */
export const countingHeaders: ReadonlySet<AnswerHeader> = new Set<AnswerHeader>([
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
])
