/** A member of the document, and where it lies. */
export interface PartMember {
  readonly path: readonly string[]
  readonly name: string
  readonly value: unknown
}

/**
 * What is shown as one: `action`: what is to be done; `change`: what it changes; `member`: any other; `answered`:
 * questions with their answers; `respond`: how the application lets a reviewer answer; `words`: how it tells the action;
 * `document`: what has no members.
 */
export interface Part {
  readonly kind: 'action' | 'change' | 'member' | 'answered' | 'respond' | 'words' | 'document'
  /** Names the part among those of its document. */
  readonly id: string
  readonly members: readonly PartMember[]
}

type Json = Readonly<Record<string, unknown>>

/** Members with a place of their own; all others keep the order of the document. */
const placed: readonly string[] = ['action', 'before', 'after', 'respond', 'title', 'summary']
/** The member that the service adds for questions that were answered. */
const answersMember = 'followUps'
/** The member under which the service keeps what an application showed at a checkpoint where a policy had opened the case. */
const adoptedMember = 'application'

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Splits a presentation into parts in the order in which they are to be read: the action first, the words that the
 * application found for it last. Each member of the document is in one part. `adopted`: whether the application's own
 * document lies within that of a policy.
 */
export function partsOf(presentation: unknown, adopted: boolean): readonly Part[] {
  if (!isObject(presentation))
    return [{ kind: 'document', id: '', members: [{ path: [], name: '', value: presentation }] }]
  const inner = adopted ? presentation[adoptedMember] : undefined
  const isNested = isObject(inner)
  const asked = isNested ? inner : presentation
  const at = isNested ? [adoptedMember] : []
  const rest = isNested
    ? Object.keys(presentation).filter((name) => name !== adoptedMember && name !== answersMember)
    : []
  const own = Object.keys(asked).filter((name) => isNested || name !== answersMember)
  return [
    part('action', asked, at, ['action']),
    part('change', asked, at, ['before', 'after']),
    ...own
      .filter((name) => !placed.includes(name))
      .map((name) => part('member', asked, at, [name])),
    ...rest.map((name) => part('member', presentation, [], [name])),
    part('respond', asked, at, ['respond']),
    part('answered', presentation, [], [answersMember]),
    part('words', asked, at, ['title', 'summary']),
  ].filter(({ members }) => members.length > 0)
}

function part(
  kind: Part['kind'],
  from: Json,
  at: readonly string[],
  names: readonly string[],
): Part {
  const members = names
    .filter((name) => Object.hasOwn(from, name))
    .map((name) => ({ path: [...at, name], name, value: from[name] }))
  return { kind, id: [kind, ...at, ...names].join('/'), members }
}

/** What the application asked to do: within a policy's document where it was adopted. */
export function askedOf(presentation: unknown, adopted: boolean): Json {
  if (!isObject(presentation)) return {}
  const inner = adopted ? presentation[adoptedMember] : undefined
  return isObject(inner) ? inner : presentation
}
