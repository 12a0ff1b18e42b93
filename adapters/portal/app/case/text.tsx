import { piecesOf } from './safe-text.ts'

/** A text from strangers: its hidden characters named, its look-alike words marked, kept from turning what is around it. */
export function Text({ text }: { readonly text: string }) {
  return (
    <bdi class="text">
      {piecesOf(text).map(({ kind, text: piece }, place) => {
        if (kind === 'plain') return piece
        const says =
          kind === 'hidden' ? 'hidden characters' : 'mixes scripts, may read as another word'
        return (
          <mark key={place} class={kind} title={says}>
            {piece}
          </mark>
        )
      })}
    </bdi>
  )
}
