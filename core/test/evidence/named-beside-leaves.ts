import { readFileSync } from 'node:fs'

/** What the reference server's `SECURITY.md` says. */
export const security: string = readFileSync(
  new URL('../../../../reference-server/SECURITY.md', import.meta.url),
  'utf8',
)
/** Members that no sample has a value of. */
const inNoSample = ['dataCategories', 'timeStamp', 'entryHash']

/** What `SECURITY.md` names, by the heads of its paragraphs. */
function namedIn(text: string): ReadonlyMap<string, readonly string[]> {
  const [, after = ''] = text.split('## What no leaf holds\n')
  const [section = ''] = after.split('\n## ')
  const paragraphs = [...section.matchAll(/^- \*\*([^*]+)\*\*(.*)$/gm)]
  return new Map(
    paragraphs.map(([, head = '', rest = '']) => [
      head,
      [...`${head} ${rest}`.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ''),
    ]),
  )
}

/** The head of the paragraph that has a member; null for one of a document itself. */
function headOf(member: string): string | null {
  if (/^(?:reviewCases\.)?integrity\./.test(member)) return 'Of the seal'
  if (member.startsWith('reviewCases.')) return 'Of review cases'
  if (member.startsWith('steps.')) return 'Of steps'
  return member.startsWith('session.') ? 'Of the session' : null
}

/** Members of these that it does not name in the paragraph that has them. */
export function unnamed(text: string, listed: readonly string[]): readonly string[] {
  const named = namedIn(text)
  const anywhere = [...named.values()].flat()
  return listed.filter((member) => {
    const head = headOf(member)
    const names = head === null ? anywhere : (named.get(head) ?? [])
    return !member.split('.').some((name) => names.includes(name))
  })
}

/** What it names that is none of the members that were changed unseen. */
export function namedInVain(text: string, unseen: ReadonlySet<string>): readonly string[] {
  return [...namedIn(text)].flatMap(([head, names]) => {
    // Of these the documents have nothing.
    if (/^Of (?:packages|authenticators|certificates)$/.test(head)) return []
    const members = [...unseen].filter((member) => (headOf(member) ?? head) === head)
    const parts = new Set([...members.flatMap((member) => member.split('.')), ...inNoSample])
    return names.flatMap((name) => (parts.has(name) ? [] : `${head}: ${name}`))
  })
}
