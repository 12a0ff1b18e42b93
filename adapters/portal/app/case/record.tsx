import type { CaseAnswer } from '@countersign/client'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../client/api.ts'
import { type Reading, useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { Shown } from '../parts/page.tsx'
import { Facts, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { useServerNow } from '../parts/time-left.tsx'
import { isSandbox } from '../paths.ts'
import { ClaimNext } from '../queue/claim-next.tsx'
import { useClaim } from '../queue/use-claim.ts'
import type { Names } from './names.ts'
import { outlineOf } from './outline.ts'
import { Text } from './text.tsx'
import { Value } from './value.tsx'
import { callbackOf, continuationOf, decisionOf, reasonOf } from './words.ts'

/** Ms after the outcome was received within which the application is expected to tell what it did. */
const silentMs = 600_000

/** What became of a closed case: the decision, how the application was told, and what it did then. */
export default function CaseRecord({
  shown,
  names,
  again,
  isFresh,
}: {
  readonly shown: CaseAnswer
  readonly names: Names
  readonly again: Reading<unknown>['again']
  /** It was decided here just now: who can not see the page is led to it. */
  readonly isFresh: boolean
}) {
  const now = useServerNow()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isFresh) heading.current?.focus()
  }, [isFresh])
  const { decision, state, decidedBy, closedAt, reviewerComment, response, continuation } = shown
  return (
    <section class="record" aria-labelledby="record">
      <h2 id="record" tabIndex={-1} ref={heading}>
        {decisionOf(decision ?? state)}
      </h2>
      <Facts
        facts={[
          ['At', <Time key="t" at={closedAt} />],
          ...(decidedBy === null ? [] : [['By', names.member(decidedBy)] as const]),
          ...(shown.cancellationReason === null
            ? []
            : [['Because', reasonOf(shown.cancellationReason)] as const]),
          ...(reviewerComment === null
            ? []
            : [['Comment', <Text key="c" text={reviewerComment} />] as const]),
          ...(response === null
            ? []
            : [['Response', <Value key="r" outline={outlineOf(response)} />] as const]),
          ['Told', callbackOf(shown.callback.state)],
          ['Then', thenOf(shown, now)],
          ...(continuation?.detail
            ? [['Detail', <Text key="d" text={continuation.detail} />] as const]
            : []),
        ]}
      />
      <Callback shown={shown} again={again} />
      {isFresh && <NextCase />}
    </section>
  )
}

/** The way on, for who just decided; nothing opens by itself. */
function NextCase() {
  const claim = useClaim({ view: 'unassigned' }, () => {})
  return (
    <div class="acts">
      <ClaimNext claim={claim} />
      <span role="status">{claim.said.value}</span>
    </div>
  )
}

function thenOf({ continuation, callback, closedAt }: CaseAnswer, now: number): string {
  if (continuation) return continuationOf(continuation.outcome)
  const since = Date.parse(callback.lastAttemptAt ?? closedAt ?? '')
  return callback.state === 'received' && now - since > silentMs
    ? 'The application has reported nothing for 10 minutes.'
    : 'The application has not reported yet what it did.'
}

/** Attempts to tell the application, and another where they came to nothing. */
function Callback({
  shown,
  again,
}: {
  readonly shown: CaseAnswer
  readonly again: Reading<unknown>['again']
}) {
  const writing = useWrite()
  const { reviewCaseId, callback } = shown
  const attempts = useRead(`${reviewCaseId} ${callback.state} ${callback.attempts}`, (signal) =>
    api.reviewCases.listCallbackAttempts({ reviewCaseId }, { signal }).then((page) => page),
  )
  const replay = async () => {
    await writing.run(() => api.reviewCases.replayCallback({ reviewCaseId }))
    again()
  }
  return (
    <>
      <Failure error={writing.error.value} />
      {(callback.state === 'failed' || callback.state === 'none') && !isSandbox && (
        <p>
          <Act writing={writing} onPress={() => void replay()}>
            {callback.state === 'none' ? 'Send the outcome' : 'Send the outcome again'}
          </Act>
        </p>
      )}
      {callback.state !== 'none' && (
        <Shown of={attempts}>
          {(page) =>
            page.attempts.length > 0 && (
              <Rows
                caption="Attempts to send the outcome"
                keyOf={({ attemptId }) => attemptId}
                rows={page.attempts}
                columns={[
                  { head: 'Attempt', cell: ({ attempt }) => attempt },
                  { head: 'At', cell: ({ startedAt }) => <Time at={startedAt} /> },
                  { head: 'Took', cell: ({ latencyMs }) => `${latencyMs} ms` },
                  {
                    head: 'Answer',
                    cell: ({ outcome, responseStatus, error }) => (
                      <>
                        {outcome} {responseStatus ?? ''} {error !== null && <Text text={error} />}
                      </>
                    ),
                  },
                ]}
              />
            )
          }
        </Shown>
      )}
    </>
  )
}
