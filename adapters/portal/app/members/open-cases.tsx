import { ApiError, type MemberRecordAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { plainLine } from '../case/safe-text.ts'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useReviewers } from '../client/use-reviewers.ts'
import { useWrite } from '../client/use-write.ts'
import { sentences } from '../errors.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { Choice } from '../parts/field.tsx'
import { Shown } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'

/** What became of cases that were handed over. */
interface HandedOver {
  readonly to: string
  readonly done: number
  readonly refused: readonly (readonly [reviewCaseId: string, why: string])[]
}

/** The open cases of a member, which can be handed over together: each by a call of its own, that may be refused. */
export function OpenCases({ member: { memberId } }: { readonly member: MemberRecordAnswer }) {
  const cases = useRead(memberId, (signal) =>
    api.portal.listQueue({ assignee: memberId, page: 1, pageSize: 20 }, { signal }),
  )
  const reviewers = useReviewers()
  const others = (reviewers.data.value ?? []).filter(([id]) => id !== memberId)
  const reviewerId = useSignal('')
  const writing = useWrite()
  const result = useSignal<HandedOver | null>(null)
  const handOver = async () => {
    const chosen = others.find(([id]) => id === reviewerId.value)
    if (!chosen) return
    result.value = null
    const done = await writing.run(() => handOverAll(memberId, chosen))
    result.value = done ?? null
    cases.again()
  }
  return (
    <>
      <Failure error={writing.error.value ?? reviewers.error.value} />
      <Shown of={cases}>
        {({ queue, totalCount }) =>
          totalCount === 0 ? (
            <p>They have no open case.</p>
          ) : (
            <>
              <p>
                They have {totalCount === 1 ? 'an open case' : `${totalCount} open cases`}. Nobody
                else can claim them: hand them over, or they expire undecided.
              </p>
              <ul>
                {queue.map(({ reviewCaseId, title, dueAt, reviewTier }) => (
                  <li key={reviewCaseId}>
                    <a href={to(`/cases/${encodeURIComponent(reviewCaseId)}`)}>
                      {title === null ? <code>{reviewCaseId}</code> : plainLine(title, 80)}
                    </a>
                    , {reviewTier}, due <Time at={dueAt} />
                  </li>
                ))}
              </ul>
              {totalCount > queue.length && (
                <p class="quiet">And {totalCount - queue.length} more.</p>
              )}
              <Choice
                label="Hand over to"
                name="reviewerId"
                value={reviewerId.value}
                onChange={(event) => {
                  reviewerId.value = event.currentTarget.value
                }}
                hint={reviewers.data.value && others.length === 0 ? 'Nobody else may review.' : ''}
                options={[['', '–'], ...others]}
              />
              <Act writing={writing} onPress={handOver}>
                {totalCount === 1 ? 'Hand the case over' : `Hand all ${totalCount} over`}
              </Act>
            </>
          )
        }
      </Shown>
      <div role="status">{result.value && <Result {...result.value} />}</div>
    </>
  )
}

function Result({ to: name, done, refused }: HandedOver) {
  return (
    <>
      <p>
        {done === 1 ? '1 case is' : `${done} cases are`} with {name} now.
      </p>
      {refused.length > 0 && (
        <ul>
          {refused.map(([reviewCaseId, why]) => (
            <li key={reviewCaseId}>
              <code>{reviewCaseId}</code> stays: {why}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Hands each open case of a member to another; what is refused stays where it was. */
async function handOverAll(
  memberId: string,
  [reviewerId, name]: readonly [reviewerId: string, name: string],
): Promise<HandedOver> {
  // All of them first: what was handed over is not in the list any more.
  const cases: { readonly reviewCaseId: string; readonly caseVersion: number }[] = []
  for await (const { reviewCaseId, caseVersion } of api.reviewCases.list({
    assignee: memberId,
    state: 'open',
  }))
    cases.push({ reviewCaseId, caseVersion })
  const refused: (readonly [string, string])[] = []
  for (const one of cases)
    try {
      await api.reviewCases.reassign({ ...one, reviewerId })
    } catch (error) {
      if (!(error instanceof ApiError && error.unwritten)) throw error
      refused.push([one.reviewCaseId, sentences[error.code]])
    }
  return { to: name, done: cases.length - refused.length, refused }
}
