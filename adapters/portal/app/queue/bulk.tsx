import type { QueuedCaseAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { plainLine } from '../case/safe-text.ts'
import { useFront } from '../case/use-front.ts'
import { reasonOf } from '../case/words.ts'
import { useReviewers } from '../client/use-reviewers.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure, sentenceOf } from '../parts/failure.tsx'
import { Choice } from '../parts/field.tsx'
import { type BulkAct, type CancelReason, useBulk } from './bulk-run.ts'
import { nameOf, type Selection } from './selection.tsx'

type Kind = BulkAct['kind']

/** Why a person cancels cases; the others are for applications and the service. */
const reasons: readonly CancelReason[] = [
  'parent_workflow_ended',
  'end_user_cancelled',
  'safer_alternative_completed',
  'checkpoint_unavailable',
  'checkpoint_superseded',
]

const words: Readonly<Record<Kind, { readonly title: string; readonly means: string }>> = {
  hand_over: {
    title: 'Hand over',
    means: 'The reviewer has them from then on, and nobody else can decide them.',
  },
  cancel: {
    title: 'Cancel',
    means:
      'Nothing of them is approved, and each application is told within seconds. This can not be undone.',
  },
}

/** What an admin can do with the cases that are selected; no case is decided with others. */
export default function Bulk({
  selection: { chosen, toggleAll },
  onDone,
}: {
  readonly selection: Selection
  /** Called once the dialog is closed after something was sent. */
  readonly onDone: () => void
}) {
  const open = useSignal<{
    readonly kind: Kind
    readonly cases: readonly QueuedCaseAnswer[]
  } | null>(null)
  return (
    <div class="bulk">
      <button type="button" onClick={toggleAll}>
        Select all or none
      </button>
      <span role="status">{chosen.length > 0 && `${countOf(chosen.length)} selected`}</span>
      {chosen.length > 0 &&
        (['hand_over', 'cancel'] as const).map((kind) => (
          <button
            key={kind}
            type="button"
            onClick={() => {
              // What is selected later is not what was asked about.
              open.value = { kind, cases: chosen }
            }}
          >
            {words[kind].title}…
          </button>
        ))}
      {open.value && (
        <BulkDialog
          kind={open.value.kind}
          cases={open.value.cases}
          onClose={(wasSent) => {
            open.value = null
            if (wasSent) onDone()
          }}
        />
      )}
    </div>
  )
}

function BulkDialog({
  kind,
  cases,
  onClose,
}: {
  readonly kind: Kind
  readonly cases: readonly QueuedCaseAnswer[]
  readonly onClose: (wasSent: boolean) => void
}) {
  const entered = useSignal('')
  const asked = useSignal<BulkAct | null>(null)
  const bulk = useBulk(cases)
  const wasSent = bulk.results.value.size > 0
  const close = () => {
    bulk.stop()
    onClose(wasSent)
  }
  return (
    <Dialog title={`${words[kind].title} ${countOf(cases.length)}`} onClose={close}>
      {!asked.value && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (entered.value === '') return
            asked.value =
              kind === 'cancel'
                ? { kind, reason: entered.value as CancelReason }
                : { kind, reviewerId: entered.value }
          }}
        >
          {kind === 'cancel' ? (
            <Choice
              label="Why"
              name="reasonCategory"
              required
              value={entered.value}
              onChange={({ currentTarget: { value } }) => {
                entered.value = value
              }}
              options={[['', '–'], ...reasons.map((reason) => [reason, reasonOf(reason)] as const)]}
            />
          ) : (
            <Reviewer
              cases={cases}
              entered={entered.value}
              onChange={(id) => (entered.value = id)}
            />
          )}
          <Cases cases={cases} told={() => null} />
          <button type="submit">Go on</button>
        </form>
      )}
      {asked.value && !wasSent && (
        <Confirm
          act={asked.value}
          cases={cases}
          back={() => {
            asked.value = null
          }}
          run={(act) => void bulk.run(act)}
        />
      )}
      {asked.value && wasSent && <Results cases={cases} bulk={bulk} kind={kind} />}
    </Dialog>
  )
}

/** Whom cases can go to: who has all of them already gets none. */
function Reviewer({
  cases,
  entered,
  onChange,
}: {
  readonly cases: readonly QueuedCaseAnswer[]
  readonly entered: string
  readonly onChange: (memberId: string) => void
}) {
  const reviewers = useReviewers()
  return (
    <>
      <Failure error={reviewers.error.value} again={reviewers.again} />
      <Choice
        label="Reviewer"
        name="reviewerId"
        required
        value={entered}
        onChange={({ currentTarget: { value } }) => onChange(value)}
        options={[
          ['', '–'],
          ...(reviewers.data.value ?? [])
            .filter(([id]) => cases.some(({ assignee }) => assignee?.memberId !== id))
            .map(([id, name]) => [id, plainLine(name)] as const),
        ]}
      />
    </>
  )
}

/** The second step: it names how many, and its button counts once it was in front for a while. */
function Confirm({
  act,
  cases,
  back,
  run,
}: {
  readonly act: BulkAct
  readonly cases: readonly QueuedCaseAnswer[]
  readonly back: () => void
  readonly run: (act: BulkAct) => void
}) {
  const front = useFront(act.kind)
  const reviewers = useReviewers()
  const to =
    act.kind === 'hand_over' &&
    plainLine(
      (reviewers.data.value ?? []).find(([id]) => id === act.reviewerId)?.[1] ?? act.reviewerId,
    )
  return (
    <>
      <p>
        {act.kind === 'hand_over'
          ? `${countOf(cases.length)} will go to ${to}.`
          : `${countOf(cases.length)} will be cancelled: ${reasonOf(act.reason)}.`}{' '}
        {words[act.kind].means}
      </p>
      <Cases cases={cases} told={() => null} />
      <div class="acts">
        <button type="button" onClick={back}>
          Back
        </button>
        <button
          type="button"
          onClick={(event) => {
            if (front.isMeant(event)) run(act)
          }}
        >
          {words[act.kind].title} {countOf(cases.length)}
        </button>
      </div>
    </>
  )
}

function Results({
  cases,
  bulk: { results, running, stop },
  kind,
}: {
  readonly cases: readonly QueuedCaseAnswer[]
  readonly bulk: ReturnType<typeof useBulk>
  readonly kind: Kind
}) {
  const told = [...results.value.values()]
  const done = told.filter((each) => each === 'done').length
  const verb = kind === 'cancel' ? 'cancelled' : 'handed over'
  return (
    <>
      <p role="status">
        {running.value
          ? `${told.length} of ${cases.length}…`
          : `${done} of ${countOf(cases.length)} ${verb}.`}
      </p>
      <Cases
        cases={cases}
        told={({ reviewCaseId }) => {
          const result = results.value.get(reviewCaseId)
          if (result === undefined) return running.value ? 'waits' : 'not sent'
          return result === 'done' ? (
            <span class="good">{verb}</span>
          ) : (
            <span class="bad">{sentenceOf(result)}</span>
          )
        }}
      />
      {running.value && (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
    </>
  )
}

function Cases({
  cases,
  told,
}: {
  readonly cases: readonly QueuedCaseAnswer[]
  readonly told: (row: QueuedCaseAnswer) => ComponentChildren
}) {
  return (
    <ul class="bulk-cases">
      {cases.map((row) => (
        <li key={row.reviewCaseId}>
          {nameOf(row)} {told(row)}
        </li>
      ))}
    </ul>
  )
}

const countOf = (count: number) => (count === 1 ? '1 case' : `${count} cases`)
