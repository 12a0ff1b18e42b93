import type { CaseAnswer } from '@countersign/client'
import { useMemo } from 'preact/hooks'
import { isSameVersion } from './deciding.ts'
import { type Drawn, drawnOf } from './drawn.ts'
import { PartView } from './part-view.tsx'
import type { Seen } from './seen.ts'

/** What a decision signs: all of the document, in the order in which it is to be read. */
export default function Signed({
  shown,
  latest,
  before,
  drawn,
  digest,
  seen,
}: {
  readonly shown: CaseAnswer
  /** The case as it was read last, which may be another than the drawn one. */
  readonly latest: CaseAnswer
  /** What was drawn before, where the case changed meanwhile. */
  readonly before: CaseAnswer | null
  readonly drawn: Drawn
  /** Undefined: not computed yet. */
  readonly digest: string | null | undefined
  readonly seen: Seen
}) {
  const former = useMemo(() => before && drawnOf(before), [before])
  return (
    <section class="signed" aria-labelledby="signed">
      <header class="signed-head">
        <h2 id="signed">{shown.state === 'open' ? 'You sign this' : 'What was to be decided'}</h2>
        <Seal latest={latest} digest={digest} isChanged={!isSameVersion(shown, latest)} />
      </header>
      {shown.presentation === null && (
        <p class="empty">The document was erased, or is not kept any longer.</p>
      )}
      {shown.presentation !== null &&
        drawn.parts.map((part) => (
          <PartView
            key={`${part.id} ${drawn.contents.get(part.id)?.length}`}
            part={part}
            isSeen={shown.state !== 'open' || seen.has(part)}
            isNew={former !== null && former.contents.get(part.id) !== drawn.contents.get(part.id)}
          />
        ))}
    </section>
  )
}

/** Whether what is drawn is what the case names now. */
function Seal({
  latest: { presentationDigest },
  digest,
  isChanged,
}: {
  readonly latest: CaseAnswer
  readonly digest: string | null | undefined
  /** The case is another than the drawn one, which is told at the top of the page. */
  readonly isChanged: boolean
}) {
  if (digest === undefined) return <p class="seal quiet">computing the digest…</p>
  const isSame = digest !== null && digest === presentationDigest
  return (
    <p class="seal">
      <span class="quiet">sha256</span>{' '}
      <code title={digest ?? undefined}>
        {digest === null ? 'none' : `${digest.slice(0, 8)}…${digest.slice(-4)}`}
      </code>{' '}
      {presentationDigest === null ? (
        <span class="quiet">bound when the case is claimed</span>
      ) : isSame ? (
        <span class="good">matches the case</span>
      ) : (
        <strong class="bad">
          {isChanged
            ? 'not what the case asks any more: see the change first'
            : 'does not match the case: nothing can be decided'}
        </strong>
      )}
    </p>
  )
}
