import { type Piece, piecesOf, runsOf } from './safe-text.ts'

/** A text from strangers: its hidden characters named, its look-alike words marked, kept from turning what is around it. */
export function Text({ text }: { readonly text: string }) {
  const [first = [], ...more] = runsOf(piecesOf(text))
  if (more.length === 0)
    return (
      <bdi class="text">
        <Pieces pieces={first} />
      </bdi>
    )
  return (
    <bdi class="text">
      {[first, ...more].map((pieces, place) => (
        <span key={place} class="run">
          <Pieces pieces={pieces} />
        </span>
      ))}
    </bdi>
  )
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map(({ kind, text }, place) => {
        if (kind === 'plain') return text
        const says =
          kind === 'hidden' ? 'hidden characters' : 'mixes scripts, may read as another word'
        return (
          <mark key={place} class={kind} title={says}>
            {text}
          </mark>
        )
      })}
    </>
  )
}
