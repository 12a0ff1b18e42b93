import { ApiError, errorOf, jsonObject, passes } from './errors.ts'
import { noAnswer } from './no-answer.ts'
import { readAnswer } from './read-answer.ts'
import { copyMembers } from './read-options.ts'
import { endedBy } from './signals.ts'
import type { Surroundings } from './surroundings.ts'
import type { CaseAnswer } from './types.ts'

/** How one operation is called; the tables are generated. */
export interface Operation {
  readonly method: string
  /** With `:name` for each parameter. */
  readonly path: string
  /** Members of the input that go into the query; all, where `body` is absent. */
  readonly query?: readonly string[]
  readonly body?: true
  /** May be sent again though the first may have been carried out. */
  readonly repeats?: true
  /** Takes an `idempotencyKey`, which is made where none is given. */
  readonly keyed?: true
  /** The list's member, and whether it goes on behind a cursor. */
  readonly items?: string
  readonly cursor?: true
  /** The media types of a file; else the answer is JSON. */
  readonly file?: string
  /** A removal's member of `{<member>, deleted}` that names what the path ends with. */
  readonly gone?: string
}

/** A case by its id; or a case as it was read, which has its version too. */
export type CaseReference = { readonly reviewCaseId: string } | { readonly case: CaseAnswer }

/** A case by its id, at the version that was seen where that matters; or a case as it was read, which has both. */
export type SeenCase =
  | { readonly reviewCaseId: string; readonly caseVersion?: number | undefined }
  | { readonly case: CaseAnswer }

/** Of one call. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. What was sent may still be carried out. */
  readonly signal?: AbortSignal
  /** Ms until the call rejects with `deadline_exceeded`, repeats and waits included. */
  readonly deadlineMs?: number
}

/** A file, read as it comes. */
export interface FileAnswer {
  readonly fileName: string | null
  readonly mediaType: string
  readonly stream: ReadableStream<Uint8Array>
  /** The whole of it in memory; once, and not beside `stream`. */
  bytes(): Promise<Uint8Array>
}

/** What all calls of a client share. */
export interface Caller {
  readonly origin: string
  /** Credentials; asked for with each request and kept nowhere else. */
  readonly headers: () => Readonly<Record<string, string>>
  readonly surroundings: Surroundings
  readonly deadlineMs: number
  /** Ms that a repeat may be waited for. */
  readonly longestWaitMs: number
  /** Bytes of an answer that are read into memory. */
  readonly maxAnswerBytes: number
}

/** What a method is given. */
export type Input = Readonly<Record<string, unknown>>

const mostRepeats = 2
const firstWaitMs = 500

/** Calls an operation: repeats what may be repeated, within the deadline. */
export async function call(
  caller: Caller,
  operation: Operation,
  given: Input,
  options: CallOptions = {},
): Promise<unknown> {
  // The caller may fill theirs anew before the answer comes.
  const input = copyMembers(given)
  const { surroundings } = caller
  const deadlineMs = options.deadlineMs ?? caller.deadlineMs
  const until = surroundings.now() + deadlineMs
  const request = requestOf(caller, operation, input)
  const ended = endedBy(surroundings, deadlineMs, options.signal)
  try {
    for (let repeat = 0, unclear = false; ; repeat++) {
      const tried = await attempt(caller, operation, request, input, ended.signal)
      if (!(tried instanceof ApiError)) return tried
      if (operation.gone && unclear && tried.code === 'not_found') return removed(operation, input)
      const waitMs = waitOf(surroundings, tried, repeat)
      if (repeat === mostRepeats || !mayRepeat(operation, tried)) throw tried
      if (waitMs > caller.longestWaitMs || surroundings.now() + waitMs >= until) throw tried
      unclear ||= !tried.unwritten
      await surroundings.wait(waitMs, ended.signal)
    }
  } finally {
    ended.release()
  }
}

/** Whether the service may do better the next time, and being asked twice does no harm. */
function mayRepeat({ repeats }: Operation, error: ApiError): boolean {
  return passes(error) && (error.unwritten || repeats === true)
}

/** The answer to a removal that an earlier try has carried out, whose answer was lost. */
function removed({ path, gone = '' }: Operation, input: Input): Input {
  const [, name = ''] = /:(\w+)$/.exec(path) ?? []
  return { [gone]: input[name], deleted: true }
}

/** Ms: what the service asked for, or half a second doubled with each repeat, less up to half by chance. */
function waitOf(surroundings: Surroundings, { retryAfter }: ApiError, repeat: number): number {
  const backoff = firstWaitMs * 2 ** repeat * (1 - surroundings.random() / 2)
  return Math.max((retryAfter ?? 0) * 1_000, backoff)
}

interface Sent {
  readonly url: string
  readonly init: RequestInit
}

function requestOf(caller: Caller, operation: Operation, given: Input): Sent {
  const { case: seen, ...named } = given as Input & { readonly case?: CaseAnswer }
  const input: Record<string, unknown> = seen
    ? { reviewCaseId: seen.reviewCaseId, ...named }
    : { ...named }
  if (operation.keyed) input.idempotencyKey ??= crypto.randomUUID()
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = input[name]
    delete input[name]
    return segment(name, value)
  })
  const query = new URLSearchParams()
  for (const name of operation.body ? (operation.query ?? []) : Object.keys(input)) {
    const value = input[name]
    delete input[name]
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
  const text = query.toString()
  return {
    url: `${caller.origin}${path}${text && `?${text}`}`,
    init: {
      method: operation.method,
      // Nobody but the configured origin is shown a key.
      redirect: 'manual',
      headers: {
        accept: operation.file ?? 'application/json',
        ...caller.headers(),
        ...(operation.body && { 'content-type': 'application/json' }),
        ...(seen && conditionOf(operation, seen)),
      },
      ...(operation.body && { body: JSON.stringify(input) }),
    },
  }
}

/** That a case is still as it was seen, for a command; that it is not, for a read. */
function conditionOf(
  { method }: Operation,
  { caseVersion, eventSequence }: CaseAnswer,
): Readonly<Record<string, string>> {
  const tag = `"${caseVersion}.${eventSequence}"`
  if (method !== 'GET') return { 'if-match': tag }
  // Without one of its own, fetch adds `no-cache`, for which a server answers whole.
  return { 'if-none-match': tag, 'cache-control': 'max-age=0' }
}

/** One segment of a path; `.` and `..`, which a URL would resolve, name nothing. */
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
    throw new TypeError(`${name}: expected an id, got ${JSON.stringify(value)}`)
  return encodeURIComponent(value)
}

/** One request and its answer; what failed is a value, and only an abort is thrown. */
async function attempt(
  caller: Caller,
  operation: Operation,
  { url, init }: Sent,
  input: Input,
  signal: AbortSignal,
): Promise<unknown> {
  const { surroundings, maxAnswerBytes } = caller
  try {
    const answer = await surroundings.fetch(url, { ...init, signal })
    if (answer.status === 304 && input.case) return input.case
    if (answer.status !== 200 && answer.status !== 202) {
      const bytes = await readAnswer(answer, maxAnswerBytes).catch(() => undefined)
      return errorOf(answer, bytes)
    }
    if (operation.file) return fileOf(answer, operation.file, maxAnswerBytes)
    return jsonObject(await readAnswer(answer, maxAnswerBytes)) ?? unexpected('a JSON object')
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return error instanceof ApiError ? error : noAnswer(error)
  }
}

function fileOf(answer: Response, types: string, mostBytes: number): FileAnswer | ApiError {
  const mediaType = answer.headers.get('content-type') ?? ''
  const [essence = ''] = mediaType.split(';')
  if (!types.split(', ').includes(essence.trim().toLowerCase())) {
    answer.body?.cancel().catch(() => {})
    return unexpected(types)
  }
  const disposition = answer.headers.get('content-disposition') ?? ''
  return {
    fileName: /filename="([^"]*)"/.exec(disposition)?.[1] ?? null,
    mediaType,
    stream: answer.body ?? new ReadableStream(),
    bytes: () => readAnswer(answer, mostBytes),
  }
}

function unexpected(expected: string): ApiError {
  return new ApiError('unexpected_answer', `expected ${expected}, got something else`, {
    status: 200,
  })
}
