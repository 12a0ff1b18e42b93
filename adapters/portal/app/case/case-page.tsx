import type { CaseAnswer } from '@countersign/client'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Failure } from '../parts/failure.tsx'
import { useKeys } from '../parts/keys.ts'
import { later } from '../parts/later.tsx'
import { Page, type PageProps } from '../parts/page.tsx'
import { TimeLeft } from '../parts/time-left.tsx'
import { to } from '../paths.ts'
import { neighbourOf } from '../queue/neighbours.ts'
import { session } from '../session.ts'
import { changesOf } from './changes.ts'
import { isSameVersion, type Unread, unreadBy } from './deciding.ts'
import { useDigest, useDrawn } from './drawn.ts'
import { type Names, useNames } from './names.ts'
import { stepThroughParts, toChanged, toFirstUnseen, unfoldPart } from './part-keys.ts'
import { askedOf } from './parts.ts'
import { plainLine } from './safe-text.ts'
import { useSeen } from './seen.ts'
import { doneIn, useActs } from './use-acts.ts'
import { useCase, type WatchedCase } from './use-case.ts'
import { useFront } from './use-front.ts'
import { useViewed } from './use-viewed.ts'
import { doneNames, sentenceOf } from './words.ts'

const Context = later(() => import('./context.tsx'))
const CaseRecord = later(() => import('./record.tsx'))
const DecisionForm = later(() => import('./decision-form.tsx'))
const Signed = later(() => import('./signed.tsx'))

/** A case: what would be signed, what helps to decide, and the decision. */
export default function CasePage({ params }: PageProps) {
  const { reviewCaseId = '' } = params ?? {}
  // A page of its own for each case: what is under way for another one, such as a late answer, can not reach it.
  return <OneCase key={reviewCaseId} reviewCaseId={reviewCaseId} />
}

function OneCase({ reviewCaseId }: { readonly reviewCaseId: string }) {
  const watched = useCase(reviewCaseId)
  const names = useNames()
  const shown = watched.shown.value
  const latest = watched.latest.value
  const { reading } = watched
  return (
    <Page title={shown ? titleOf(shown) : 'Case'}>
      <Failure error={reading.error.value} again={reading.again} />
      {shown && latest ? (
        <Case
          shown={shown}
          latest={latest}
          watched={watched}
          names={names}
          unread={unreadBy(reading.error.value)}
        />
      ) : (
        !reading.error.value && (
          <p class="skeleton" aria-busy="true">
            Loading…
          </p>
        )
      )}
    </Page>
  )
}

/** The action, where it is a short text; never the application's own title. */
function titleOf({ presentation, adopted, reviewCaseId }: CaseAnswer): string {
  const { action } = askedOf(presentation, adopted)
  const tool = typeof action === 'object' && action !== null ? Reflect.get(action, 'tool') : action
  return typeof tool === 'string' && tool !== '' ? plainLine(tool, 80) : `Case ${reviewCaseId}`
}

function Case({
  shown,
  latest,
  watched,
  names,
  unread,
}: {
  readonly shown: CaseAnswer
  readonly latest: CaseAnswer
  readonly watched: WatchedCase
  readonly names: Names
  readonly unread: Unread | null
}) {
  const { route } = useLocation()
  const acts = useActs(watched, session.value?.member.memberId ?? '', useViewed())
  const front = useFront(`${shown.reviewCaseId} ${shown.caseVersion}`)
  const drawn = useDrawn(shown)
  const digest = useDigest(shown.presentation)
  const seen = useSeen(drawn)
  const isChanged = !isSameVersion(shown, latest)
  const done = doneIn(acts.done.value, latest)
  const show = () => {
    if (isChanged) watched.show()
  }
  // What was asked for is brought into view: else the page stays where the button was, or is as long as another.
  const before = watched.before.value
  useEffect(() => {
    if (before) toChanged()
  }, [before])
  const toNeighbour = (by: 1 | -1) => () => {
    const next = neighbourOf(shown.reviewCaseId, by)
    if (next) route(to(`/cases/${encodeURIComponent(next)}`))
  }
  useKeys({
    j: { does: 'next part', run: () => stepThroughParts(1) },
    k: { does: 'part before', run: () => stepThroughParts(-1) },
    e: { does: 'unfold the part', run: unfoldPart },
    i: { does: 'go to what is not signed', run: () => document.getElementById('context')?.focus() },
    u: { does: 'show what changed', run: show },
    J: { does: 'next case of the queue', run: toNeighbour(1) },
    K: { does: 'case before in the queue', run: toNeighbour(-1) },
    Escape: { does: 'back to the queue', run: () => route(to('/queue')) },
  })
  const isOpen = shown.state === 'open'
  return (
    <>
      <p class="case-head">
        <strong class={`tier ${shown.reviewTier}`}>{shown.reviewTier}</strong>
        {isOpen && (
          <>
            <span>
              due <TimeLeft until={shown.dueAt} />
            </span>
            <span>
              expires <TimeLeft until={shown.expiresAt} spoken />
            </span>
          </>
        )}
        <span>{names.application(shown.applicationId)}</span>
        <a href={to('/queue')}>Queue</a>
      </p>
      <p role="status" class="done">
        {done && doneNames[done]}
      </p>
      {isChanged && (
        <div class="news" role="alert">
          <p>
            The case changed.{' '}
            {changesOf(shown, latest)
              .map((change) => sentenceOf(change, names))
              .join(' ')}{' '}
            What you typed stays.
          </p>
          <button type="button" onClick={show}>
            Show it <kbd>U</kbd>
          </button>
        </div>
      )}
      <div class="case">
        <div class="main">
          {!isOpen && (
            <CaseRecord
              shown={shown}
              names={names}
              again={watched.reading.again}
              isFresh={acts.done.value !== null}
            />
          )}
          <Signed
            shown={shown}
            latest={latest}
            before={before}
            drawn={drawn}
            digest={digest}
            seen={seen}
          />
          {isOpen && (
            <DecisionForm
              shown={shown}
              latest={latest}
              digest={digest}
              unseen={seen.unseen}
              unread={unread}
              names={names}
              acts={acts}
              front={front}
              toUnseen={toFirstUnseen}
            />
          )}
        </div>
        <Context shown={shown} names={names} />
      </div>
    </>
  )
}
