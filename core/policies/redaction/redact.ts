import type { Slices } from '../../base/json/in-slices.ts'
import type { StepType } from '../../content/span.ts'
import { compileGlob, type Glob, matchesGlob } from '../glob.ts'
import type { RedactedField, RedactionPolicy } from './policy.ts'
import { redactText, replacement, type Treatment } from './redact-text.ts'

/** The contents of a step. */
export interface StepContents {
  readonly input: unknown
  readonly output: unknown
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A text beside the contents, such as a tool's name. */
export interface MappedText {
  readonly text: string
  /** Keys of the attributes that it may come from: policies for certain keys reach it by these. */
  readonly keys: readonly string[]
  /** Texts that differ must stay different: what is found in one is always replaced by its hash. */
  readonly distinct?: boolean
  /** Policies for other types of steps reach it too. */
  readonly ofAnyType?: boolean
}

/** Contents after redaction; `redactions` counts what was replaced or removed. */
export type Redacted<C> = C & { readonly redactions: number }

/** Applies an application's redaction policies, with pauses within long contents. */
export interface Redactor {
  /** How often it goes over a content at most. */
  readonly passes: number
  step(
    type: StepType,
    contents: StepContents,
    slices: Slices,
  ): Generator<undefined, Redacted<StepContents>>
  /**
   * Texts that came from attributes, each redacted as these are; null for one that is removed. `type` is null for texts
   * of a session, which policies for certain step types reach as they reach its metadata.
   */
  texts(
    type: StepType | null,
    texts: readonly MappedText[],
    slices: Slices,
  ): Generator<undefined, Redacted<{ readonly texts: readonly (string | null)[] }>>
  metadata(
    metadata: Readonly<Record<string, unknown>>,
    slices: Slices,
  ): Generator<undefined, Redacted<{ readonly metadata: Readonly<Record<string, unknown>> }>>
}

interface Compiled extends Treatment {
  readonly policy: RedactionPolicy
  readonly keys: readonly Glob[]
}

/** Policies that apply to a value, and those that wait for a member that their keys name. */
interface Scope {
  readonly applied: readonly Compiled[]
  readonly waiting: readonly Compiled[]
}

/** JSON within texts is looked into as deep as ingest takes JSON; deeper text is plain. */
const mostDepth = 64

/** Compiles policies, applied in their order. Takes time linear in the contents' length for each of them. */
export function createRedactor(
  policies: readonly RedactionPolicy[],
  hashKey: Uint8Array,
): Redactor {
  const all = policies
    .filter(({ enabled }) => enabled)
    .map((policy): Compiled => {
      const { detect, action } = policy
      return { policy, detect, action, keys: policy.keys.map(compileGlob) }
    })

  function* redactFields<C extends object>(
    contents: C,
    scopeOf: (field: RedactedField) => readonly Compiled[],
    slices: Slices,
  ): Generator<undefined, Redacted<C>> {
    const walk = createWalk(hashKey, slices)
    const entries: (readonly [string, unknown])[] = []
    for (const [field, value] of Object.entries(contents)) {
      const policies = scopeOf(field as RedactedField)
      const scope = {
        applied: policies.filter(({ keys }) => keys.length === 0),
        waiting: policies.filter(({ keys }) => keys.length > 0),
      }
      // The members of these two are values of their own.
      const named = field === 'attributes' || field === 'metadata'
      const redacted = yield* named ? walk.members(value, scope, 0) : walk.value(value, scope, 0)
      entries.push([field, redacted === removed ? null : redacted])
    }
    return { ...(Object.fromEntries(entries) as C), redactions: walk.count() }
  }

  return {
    passes: all.length,
    *step(type, { input, output, attributes }, slices) {
      // Most applications have no policy, and steps come by the thousand.
      if (all.length === 0) return { input, output, attributes, redactions: 0 }
      const scopeOf = (field: RedactedField) =>
        all.filter(
          ({ policy: { stepTypes, fields } }) => isAmong(stepTypes, type) && isAmong(fields, field),
        )
      return yield* redactFields({ input, output, attributes }, scopeOf, slices)
    },
    *texts(type, texts, slices) {
      if (all.length === 0) return { texts: texts.map(({ text }) => text), redactions: 0 }
      const ofAttributes = all.filter(({ policy }) => isAmong(policy.fields, 'attributes'))
      const ofType =
        type === null
          ? all.filter(
              ({ policy }) =>
                reachesMetadata(policy) ||
                (policy.stepTypes.length === 0 && policy.fields.includes('attributes')),
            )
          : ofAttributes.filter(({ policy }) => isAmong(policy.stepTypes, type))
      const walk = createWalk(hashKey, slices)
      const redacted: (string | null)[] = []
      for (const { text, keys, distinct, ofAnyType } of texts) {
        const reaching = ofAnyType ? ofAttributes : ofType
        const scope = keys.reduce(within, {
          applied: reaching.filter((each) => each.keys.length === 0),
          waiting: reaching.filter((each) => each.keys.length > 0),
        })
        const value = yield* walk.value(text, distinct ? hashing(scope) : scope, 0)
        redacted.push(value === removed ? null : String(value))
      }
      return { texts: redacted, redactions: walk.count() }
    },
    metadata(metadata, slices) {
      const scope = all.filter(({ policy }) => reachesMetadata(policy))
      return redactFields({ metadata }, () => scope, slices)
    },
  }
}

function isAmong<T>(list: readonly T[], item: T): boolean {
  return list.length === 0 || list.includes(item)
}

function reachesMetadata({ stepTypes, fields }: RedactionPolicy): boolean {
  return stepTypes.length === 0 ? isAmong(fields, 'metadata') : fields.includes('metadata')
}

function hashing({ applied, waiting }: Scope): Scope {
  const hashed = (each: Compiled): Compiled => ({ ...each, action: 'hash' })
  return { applied: applied.map(hashed), waiting: waiting.map(hashed) }
}

const removed = Symbol('removed')

/** The approximate cost of a value beside its text, in characters read. */
const valueEffort = 16

/** One walk through contents; values without anything to redact stay the objects that they are. */
function createWalk(hashKey: Uint8Array, slices: Slices) {
  let count = 0

  function* value(given: unknown, scope: Scope, depth: number): Generator<undefined, unknown> {
    const { applied, waiting } = scope
    if (given === null || given === undefined || applied.length + waiting.length === 0) return given
    if (slices.spend(valueEffort + applied.length + waiting.length)) yield
    const whole = applied.find(({ detect }) => detect === 'whole_value')
    if (whole) {
      count++
      const found = typeof given === 'string' ? given : JSON.stringify(given)
      if (slices.spend(found.length)) yield
      return replacement(whole, found, hashKey) ?? removed
    }
    if (typeof given === 'string') return yield* text(given, scope, depth)
    if (typeof given === 'number' || typeof given === 'bigint') {
      const redacted = yield* plain(String(given), scope)
      return redacted === String(given) ? given : redacted
    }
    if (Array.isArray(given)) {
      const items: unknown[] = []
      for (const item of given) items.push(yield* value(item, scope, depth + 1))
      return items.every((item, at) => item === given[at]) ? given : items
    }
    return typeof given === 'object' ? yield* members(given, scope, depth) : given
  }

  function* members(given: unknown, scope: Scope, depth: number): Generator<undefined, unknown> {
    if (typeof given !== 'object' || given === null) return yield* value(given, scope, depth)
    const names = new Map<string, number>()
    let changed = false
    const entries: (readonly [string, unknown])[] = []
    for (const [name, member] of Object.entries(given)) {
      if (slices.spend(keyEffort(scope, name))) yield
      const redacted = yield* value(member, within(scope, name), depth + 1)
      const called = unused(yield* plain(name, scope), names)
      changed ||= redacted !== member || called !== name
      if (redacted !== removed) entries.push([called, redacted])
    }
    return changed ? Object.fromEntries(entries) : given
  }

  /** JSON in a text is redacted as JSON, for its escapes hide what a text says. */
  function* text(given: string, scope: Scope, depth: number): Generator<undefined, string> {
    const parsed = yield* parseJson(given, mostDepth - depth, slices)
    if (parsed !== undefined) {
      const redacted = yield* value(parsed, scope, depth + 1)
      if (slices.spend(given.length)) yield
      if (redacted !== parsed) return JSON.stringify(redacted)
    }
    return yield* plain(given, scope)
  }

  function* plain(given: string, { applied }: Scope): Generator<undefined, string> {
    if (applied.length === 0) return given
    const redacted = yield* redactText(given, applied, hashKey, slices)
    count += redacted.count
    return redacted.text
  }

  return { value, members, count: () => count }
}

/** Of matching a name with the globs that wait for it. */
function keyEffort({ waiting }: Scope, name: string): number {
  return waiting.reduce((sum, { keys }) => sum + keys.length * (valueEffort + name.length), 0)
}

function within({ applied, waiting }: Scope, name: string): Scope {
  const named = waiting.filter(({ keys }) => keys.some((key) => matchesGlob(key, name)))
  if (named.length === 0) return { applied, waiting }
  return {
    applied: [...applied, ...named],
    waiting: waiting.filter((each) => !named.includes(each)),
  }
}

/** A name that no other member has: those that are redacted to the same are numbered. `names` counts each. */
function unused(name: string, names: Map<string, number>): string {
  let number = (names.get(name) ?? 0) + 1
  let free = number === 1 ? name : `${name} (${number})`
  while (number > 1 && names.has(free)) free = `${name} (${++number})`
  names.set(name, number)
  if (free !== name) names.set(free, 1)
  return free
}

/** The object, list or text that a text spells in JSON of at most so many levels. */
function* parseJson(
  text: string,
  mostLevels: number,
  slices: Slices,
): Generator<undefined, object | string | undefined> {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[' && first !== '"') return undefined
  if (slices.spend(text.length)) yield
  if (Math.max(1, levelsOf(text)) > mostLevels) return undefined
  if (slices.spend(text.length)) yield
  try {
    return JSON.parse(text) as object | string
  } catch {
    return undefined
  }
}

/** How deep brackets nest outside of strings. */
function levelsOf(text: string): number {
  let levels = 0
  let most = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') quoted = !quoted
    else if (quoted) at += char === '\\' ? 1 : 0
    else if (char === '[' || char === '{') most = Math.max(most, ++levels)
    else if (char === ']' || char === '}') levels--
  }
  return most
}
