import { useSignal } from '@preact/signals'
import { piecesOf } from '../case/safe-text.ts'
import { Scrolled } from './scrolled.tsx'

/** Longer texts are folded. */
const mostLines = 40

/** A text from strangers as it came, in lines; what can not be seen in it is named. Where it is long, its size is told. */
export function Raw({ text, label }: { readonly text: string; readonly label: string }) {
  const whole = useSignal(false)
  const lines = text.split('\n')
  const isLong = lines.length > mostLines || text.length > mostLines * 200
  const shown =
    isLong && !whole.value
      ? lines
          .slice(0, mostLines)
          .join('\n')
          .slice(0, mostLines * 200)
      : text
  return (
    <figure class="raw">
      <figcaption>{label}</figcaption>
      <Scrolled>
        <bdi>
          {piecesOf(shown).map((piece, at) =>
            piece.kind === 'plain' ? (
              piece.text
            ) : (
              <mark key={at} title={piece.kind === 'hidden' ? 'can not be seen' : 'mixes scripts'}>
                {piece.text}
              </mark>
            ),
          )}
        </bdi>
      </Scrolled>
      {isLong && (
        <button
          type="button"
          aria-expanded={whole.value}
          onClick={() => {
            whole.value = !whole.value
          }}
        >
          {whole.value ? 'Fold' : `Show all ${lines.length} lines, ${text.length} characters`}
        </button>
      )}
    </figure>
  )
}
