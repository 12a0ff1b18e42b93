import type { Outline } from './outline.ts'
import { Text } from './text.tsx'

/** A value of a document: its members as nested lists, its texts in quotes, so that no text can pose as a member. */
export function Value({ outline }: { readonly outline: Outline }) {
  const { members, value } = outline
  if (members === null) return <Simple value={value} />
  return (
    <ul class="members">
      {members.map((member) => (
        <li key={member.name}>
          <Name name={member.name} />
          {member.members !== null && <Size value={member.value} />} <Value outline={member} />
        </li>
      ))}
    </ul>
  )
}

export function Name({ name }: { readonly name: Outline['name'] }) {
  if (name === null) return null
  return (
    <span class="member-name">
      {typeof name === 'number' ? `${name + 1}.` : <Text text={name} />}
    </span>
  )
}

/** A value without members; texts are told from numbers and words of JSON by their quotes. */
export function Simple({ value }: { readonly value: unknown }) {
  if (typeof value === 'string')
    return (
      <q class={value.includes('\n') ? 'string lines' : 'string'}>
        <Text text={value} />
      </q>
    )
  if (Array.isArray(value)) return <span class="literal">empty list</span>
  if (typeof value === 'object' && value !== null) return <span class="literal">no members</span>
  return <span class="literal">{String(value)}</span>
}

function Size({ value }: { readonly value: unknown }) {
  const isList = Array.isArray(value)
  const size = isList ? value.length : Object.keys(value as object).length
  const unit = isList ? 'item' : 'member'
  return (
    <span class="quiet size">
      {size} {size === 1 ? unit : `${unit}s`}
    </span>
  )
}
