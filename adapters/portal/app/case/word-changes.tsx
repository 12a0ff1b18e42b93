import { diffWordsWithSpace } from 'diff'
import { useMemo } from 'preact/hooks'
import { Text } from './text.tsx'

/** Two long texts in one, word by word; whole, one after the other, where they have too little in common. */
export default function WordChanges({
  before,
  after,
}: {
  readonly before: string
  readonly after: string
}) {
  const runs = useMemo(
    () =>
      diffWordsWithSpace(before, after, { timeout: 200 }) ?? [
        { value: before, removed: true, added: false },
        { value: after, removed: false, added: true },
      ],
    [before, after],
  )
  return (
    <q class="string lines">
      {runs.map(({ value, removed, added }, place) => {
        if (removed)
          return (
            <del key={place}>
              <span class="sign">−</span>
              <Text text={value} />
            </del>
          )
        if (added)
          return (
            <ins key={place}>
              <span class="sign">+</span>
              <Text text={value} />
            </ins>
          )
        return <Text key={place} text={value} />
      })}
    </q>
  )
}
