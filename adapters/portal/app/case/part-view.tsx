import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useMemo } from 'preact/hooks'
import { Guard } from '../parts/guard.tsx'
import { ChangeView } from './change-view.tsx'
import { differenceOf } from './differences.ts'
import { firstLines, foldedLines, mostRows, outlineOf } from './outline.ts'
import type { Part } from './parts.ts'
import { warningsOf } from './safe-text.ts'
import { Text } from './text.tsx'
import { Value } from './value.tsx'
import { partNames } from './words.ts'

/** One part of the document that is signed. Long ones are folded until they are opened. */
export function PartView({
  part,
  isSeen,
  isNew,
}: {
  readonly part: Part
  readonly isSeen: boolean
  /** It is other than what was shown before. */
  readonly isNew: boolean
}) {
  const content = useMemo(() => contentOf(part), [part])
  const isOpen = useSignal(content.lines <= foldedLines)
  // The same drawing again is not compared anew: it may have thousands of lines.
  const drawing = useMemo(() => content.draw(isOpen.value), [content, isOpen.value])
  const isBroken = useSignal(false)
  const id = useId()
  return (
    <section
      class={isNew ? 'part new' : 'part'}
      data-part={part.kind}
      data-id={part.id}
      data-seen={isSeen}
      data-open={isOpen.value && !isBroken.value}
      tabIndex={-1}
      aria-labelledby={id}
    >
      <h3 id={id}>
        <PartTitle part={part} />
        {isNew && <strong class="tag">changed</strong>}
        {content.warnings.hidden && <strong class="tag warn">hidden characters</strong>}
        {content.warnings.lookalike && <strong class="tag warn">look-alike words</strong>}
      </h3>
      <Guard
        of={part}
        instead={broken}
        onBroken={() => {
          isBroken.value = true
        }}
      >
        {drawing}
      </Guard>
      {!isOpen.value && (
        <button
          type="button"
          class="unfold"
          onClick={() => {
            isOpen.value = true
          }}
        >
          Show all {content.lines.toLocaleString()} lines
        </button>
      )}
      <span class="part-end" />
    </section>
  )
}

function PartTitle({ part: { kind, members } }: { readonly part: Part }) {
  const [first] = members
  if (kind === 'member' && first)
    return (
      <>
        {first.path.length > 1 && 'of the application: '}
        <Text text={first.name} />
      </>
    )
  return <>{partNames[kind]}</>
}

interface Content {
  readonly lines: number
  readonly warnings: { readonly hidden: boolean; readonly lookalike: boolean }
  readonly draw: (whole: boolean) => ComponentChildren
}

/** How a part is drawn: as a difference, as its members, or, where it has very many, as a text of JSON. */
function contentOf({ kind, members }: Part): Content {
  const [first, second] = members
  // A change is drawn with the names of its sides: one alone reads as the other without.
  const isBare = members.length === 1 && kind !== 'change'
  const json = JSON.stringify(isBare ? first?.value : members.map(({ value }) => value), null, 1)
  const warnings = warningsOf(unescaped(json))
  const value = isBare ? first?.value : Object.fromEntries(members.map((m) => [m.name, m.value]))
  const outline = outlineOf(value)
  const { lines } = outline
  if (lines > mostRows) {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1)
    const whole = outlineOf(text)
    return {
      lines: whole.lines,
      warnings,
      draw: (all) => <Value outline={all ? whole : firstLines(whole, foldedLines)} />,
    }
  }
  if (kind === 'change' && first && second)
    return {
      lines,
      warnings,
      draw: (all) => all && <ChangeView difference={differenceOf(first.value, second.value)} />,
    }
  return {
    lines,
    warnings,
    draw: (all) => <Value outline={all ? outline : firstLines(outline, foldedLines)} />,
  }
}

/** JSON escapes what can not be seen in some places; here it has to be found. */
function unescaped(json: string): string {
  return json
    .replace(/\\u([0-9a-f]{4})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll('\\r', '\r')
    .replaceAll(/\\[nt]/g, ' ')
}

/** What stands in the place of a part that can not be drawn; it stays unseen. */
const broken = () => (
  <p class="failure">
    This part can not be drawn, so the case can not be approved here. It can be rejected, asked
    about and handed over.
  </p>
)
