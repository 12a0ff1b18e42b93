import type { StepType } from '../../sessions/span.ts'
import { compileGlob, type Glob, matchesGlob } from '../glob.ts'
import type { RedactedField, RedactionPolicy } from './policy.ts'
import { redactText, replacement, type Treatment } from './redact-text.ts'

/** The contents of a step. */
export interface StepContents {
  readonly input: unknown
  readonly output: unknown
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Contents after redaction; `redactions` counts what was replaced or removed. */
export type Redacted<C> = C & { readonly redactions: number }

/** Applies an application's redaction policies. */
export interface Redactor {
  /** How often it goes over a content at most. */
  readonly passes: number
  step(type: StepType, contents: StepContents): Redacted<StepContents>
  metadata(
    metadata: Readonly<Record<string, unknown>>,
  ): Redacted<{ readonly metadata: Readonly<Record<string, unknown>> }>
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

  function redactFields<C extends object>(
    contents: C,
    scopeOf: (field: RedactedField) => readonly Compiled[],
  ): Redacted<C> {
    const walk = createWalk(hashKey)
    const entries = Object.entries(contents).map(([field, value]) => {
      const policies = scopeOf(field as RedactedField)
      const scope = {
        applied: policies.filter(({ keys }) => keys.length === 0),
        waiting: policies.filter(({ keys }) => keys.length > 0),
      }
      // The members of these two are values of their own.
      const named = field === 'attributes' || field === 'metadata'
      const redacted = named ? walk.members(value, scope, 0) : walk.value(value, scope, 0)
      return [field, redacted === removed ? null : redacted] as const
    })
    return { ...(Object.fromEntries(entries) as C), redactions: walk.count() }
  }

  return {
    passes: all.length,
    step(type, { input, output, attributes }) {
      // Most applications have no policy, and steps come by the thousand.
      if (all.length === 0) return { input, output, attributes, redactions: 0 }
      return redactFields({ input, output, attributes }, (field) =>
        all.filter(
          ({ policy: { stepTypes, fields } }) => isAmong(stepTypes, type) && isAmong(fields, field),
        ),
      )
    },
    metadata: (metadata) =>
      redactFields({ metadata }, () =>
        all.filter(({ policy: { stepTypes, fields } }) =>
          stepTypes.length === 0 ? isAmong(fields, 'metadata') : fields.includes('metadata'),
        ),
      ),
  }
}

function isAmong<T>(list: readonly T[], item: T): boolean {
  return list.length === 0 || list.includes(item)
}

const removed = Symbol('removed')

/** One walk through contents; values without anything to redact stay the objects that they are. */
function createWalk(hashKey: Uint8Array) {
  let count = 0

  function value(given: unknown, scope: Scope, depth: number): unknown {
    const { applied, waiting } = scope
    if (given === null || given === undefined || applied.length + waiting.length === 0) return given
    const whole = applied.find(({ detect }) => detect === 'whole_value')
    if (whole) {
      count++
      const found = typeof given === 'string' ? given : JSON.stringify(given)
      return replacement(whole, found, hashKey) ?? removed
    }
    if (typeof given === 'string') return text(given, scope, depth)
    if (typeof given === 'number' || typeof given === 'bigint') {
      const redacted = plain(String(given), scope)
      return redacted === String(given) ? given : redacted
    }
    if (Array.isArray(given)) {
      const items = given.map((item) => value(item, scope, depth + 1))
      return items.every((item, at) => item === given[at]) ? given : items
    }
    return typeof given === 'object' ? members(given, scope, depth) : given
  }

  function members(given: unknown, scope: Scope, depth: number): unknown {
    if (typeof given !== 'object' || given === null) return value(given, scope, depth)
    const names = new Map<string, number>()
    let changed = false
    const entries = Object.entries(given).flatMap(([name, member]) => {
      const redacted = value(member, within(scope, name), depth + 1)
      const called = unused(plain(name, scope), names)
      changed ||= redacted !== member || called !== name
      return redacted === removed ? [] : [[called, redacted] as const]
    })
    return changed ? Object.fromEntries(entries) : given
  }

  /** JSON in a text is redacted as JSON, for its escapes hide what a text says. */
  function text(given: string, scope: Scope, depth: number): string {
    const parsed = parseJson(given, mostDepth - depth)
    if (parsed !== undefined) {
      const redacted = value(parsed, scope, depth + 1)
      if (redacted !== parsed) return JSON.stringify(redacted)
    }
    return plain(given, scope)
  }

  function plain(given: string, { applied }: Scope): string {
    const redacted = redactText(given, applied, hashKey)
    count += redacted.count
    return redacted.text
  }

  return { value, members, count: () => count }
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
function parseJson(text: string, mostLevels: number): object | string | undefined {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[' && first !== '"') return undefined
  if (Math.max(1, levelsOf(text)) > mostLevels) return undefined
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
