/** What is asked about; a probe that answers with more is fine. */
export interface Asked {
  readonly ids: readonly string[]
  readonly reviewCaseIds: readonly string[]
}

/** What the receiver holds and did. */
export interface Sighting {
  /** Events that a restart would find; `sha256` is the lower-case hex digest of the body as it is kept. */
  readonly stored: readonly { readonly id: string; readonly sha256?: string | undefined }[]
  /** How often the business logic acted on an event, in the order in which it first did; history does not count. */
  readonly effects?: readonly { readonly id: string; readonly count: number }[] | undefined
  /** The newest position that the receiver knows of each case. */
  readonly heads?:
    | readonly {
        readonly reviewCaseId: string
        readonly caseVersion: number
        readonly eventSequence: number
      }[]
    | undefined
}

/** A way to see what a receiver did, and to put it into situations; what is left out leaves properties unjudged. */
export interface Probe {
  read(asked: Asked): Promise<Sighting>
  /** Kills the receiver without warning (kill -9) and starts it again; resolves when it listens. */
  restart?(): Promise<void>
  /** Sets the receiver's clock, ms since the epoch, standing still; null gives it back the real one. */
  setClock?(now: number | null): Promise<void>
  /** Makes each effect take this long. */
  setDelay?(ms: number): Promise<void>
  /** Makes every store of an event fail, as a full disk does, until told otherwise. */
  setStoreFailure?(on: boolean): Promise<void>
}

/** The probe is broken: nothing can be said about the receiver. */
export class ProbeError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProbeError'
  }
}

/** Takes an entry of a probe's list whose id or place is of the wrong kind. */
export type NoteOdd = (entry: unknown, list: 'stored' | 'effects' | 'heads') => void

/**
 * Checks what came from outside; throws a ProbeError that says what was expected and what came. An entry whose id or
 * place is of the wrong kind goes to `odd`, where given, and is left out: bodies that are no events leave such.
 */
export function readSighting(value: unknown, odd?: NoteOdd): Sighting {
  const { stored, effects, heads } = object(value, 'the answer')
  return {
    stored: list(stored, 'stored', odd, (item, at) => ({
      id: text(item.id, `${at}.id`),
      sha256: item.sha256 === undefined ? undefined : text(item.sha256, `${at}.sha256`),
    })),
    effects:
      effects === undefined
        ? undefined
        : list(effects, 'effects', odd, (item, at) => ({
            id: text(item.id, `${at}.id`),
            count: whole(item.count, `${at}.count`),
          })),
    heads:
      heads === undefined
        ? undefined
        : list(heads, 'heads', odd, (item, at) => ({
            reviewCaseId: text(item.reviewCaseId, `${at}.reviewCaseId`),
            caseVersion: whole(item.caseVersion, `${at}.caseVersion`),
            eventSequence: whole(item.eventSequence, `${at}.eventSequence`),
          })),
  }
}

type Members = Readonly<Record<string, unknown>>

function object(value: unknown, what: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  return wrong(what, 'an object', value)
}

function list<T>(
  value: unknown,
  what: 'stored' | 'effects' | 'heads',
  odd: NoteOdd | undefined,
  read: (item: Members, at: string) => T,
): T[] {
  if (!Array.isArray(value)) return wrong(what, 'an array', value)
  return value.flatMap((item, index) => {
    const at = `${what}[${index}]`
    try {
      return [read(object(item, at), at)]
    } catch (error) {
      if (odd === undefined || !(error instanceof ProbeError)) throw error
      odd(item, what)
      return []
    }
  })
}

function text(value: unknown, what: string): string {
  return typeof value === 'string' ? value : wrong(what, 'a string', value)
}

function whole(value: unknown, what: string): number {
  return Number.isSafeInteger(value) ? (value as number) : wrong(what, 'a whole number', value)
}

function wrong(what: string, expected: string, value: unknown): never {
  const came = JSON.stringify(value)?.slice(0, 100) ?? typeof value
  throw new ProbeError(`the probe is broken: expected ${what} to be ${expected}, got ${came}`)
}
