import { later } from '../parts/later.tsx'
import { type Difference, isLongText } from './differences.ts'
import { outlineOf } from './outline.ts'
import { Name, Value } from './value.tsx'

const WordChanges = later(() => import('./word-changes.tsx'))

/** What a value was and what it becomes: with signs and words beside the colours. */
export function ChangeView({ difference }: { readonly difference: Difference }) {
  switch (difference.kind) {
    case 'same':
      return <Side sign=" " says="" value={difference.value} />
    case 'removed':
      return <Side sign="−" says="removed" value={difference.value} />
    case 'added':
      return <Side sign="+" says="added" value={difference.value} />
    case 'changed': {
      const { before, after } = difference
      if (isLongText(before, after))
        return <WordChanges before={String(before)} after={String(after)} />
      return (
        <div class="sides">
          <Side sign="−" says="before" value={before} />
          <Side sign="+" says="after" value={after} />
        </div>
      )
    }
    case 'inside':
      return (
        <>
          {difference.reordered && <p class="quiet">Only the order changed.</p>}
          <ul class="members">
            {difference.members.map((member) => (
              <li key={`${member.kind} ${member.name}`} class={member.kind}>
                <Name name={member.name} /> <ChangeView difference={member} />
              </li>
            ))}
          </ul>
        </>
      )
  }
}

function Side({
  sign,
  says,
  value,
}: {
  readonly sign: string
  readonly says: string
  readonly value: unknown
}) {
  if (says === '') return <Value outline={outlineOf(value)} />
  const kind = sign === '+' ? 'came' : 'went'
  return (
    <span class={`side ${kind}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="says">{says}</span> <Value outline={outlineOf(value)} />
    </span>
  )
}
