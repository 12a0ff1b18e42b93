import type { CaseAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { Guidelines } from './guidelines.tsx'
import type { Names } from './names.ts'
import { outlineOf } from './outline.ts'
import { Related } from './related.tsx'
import { plainLine } from './safe-text.ts'
import { Text } from './text.tsx'
import { Value } from './value.tsx'
import { reasonOf, stepOf } from './words.ts'

/** What helps to decide and is not signed: why the case is there, where it comes from, what happened to it. */
export default function Context({
  shown,
  names,
}: {
  readonly shown: CaseAnswer
  readonly names: Names
}) {
  const { assignment, requestedBy, policyResults, followUps, history, stepId } = shown
  const open = followUps.filter(({ answer }) => answer === null)
  return (
    <section class="context" aria-labelledby="context">
      <h2 id="context" tabIndex={-1}>
        Not signed
      </h2>
      <Facts
        facts={[
          ['Why', reasonOf(shown.reasonCategory)],
          ['Application', names.application(shown.applicationId)],
          ['With', assignment ? names.holder(assignment.reviewerId) : 'nobody'],
          ['Asked for by', requestedBy === null ? '–' : names.member(requestedBy)],
          ['Opened', <Time key="t" at={shown.createdAt} />],
          ['Session', <code key="s">{plainLine(shown.sessionId)}</code>],
          ['Checkpoint', <code key="c">{plainLine(shown.checkpoint.checkpointId)}</code>],
          ['Case', <code key="i">{shown.reviewCaseId}</code>],
        ]}
      />
      <Guidelines shown={shown} />
      {open.map(({ question, askedAt }) => (
        <p key={askedAt}>
          <span class="quiet">
            Asked <Time at={askedAt} />, not answered yet:
          </span>{' '}
          <Text text={question} />
        </p>
      ))}
      {policyResults.length > 0 && (
        <>
          <h3>Policy results</h3>
          <Value outline={outlineOf(policyResults)} />
        </>
      )}
      {stepId !== null && <Step shown={shown} stepId={stepId} />}
      <h3>History</h3>
      <ol class="history">
        {history.map(({ eventSequence, step, at, actor }, place) => (
          <li key={`${eventSequence} ${place}`}>
            <Time at={at} /> {stepOf(step)} <span class="quiet">by {names.actor(actor)}</span>
          </li>
        ))}
      </ol>
      <Related shown={shown} names={names} />
    </section>
  )
}

/** The step of the session that waits for the decision, read when it is asked for. */
function Step({ shown, stepId }: { readonly shown: CaseAnswer; readonly stepId: string }) {
  const isOpen = useSignal(false)
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>The step that waits</summary>
      {isOpen.value && <StepContent shown={shown} stepId={stepId} />}
    </details>
  )
}

function StepContent({ shown, stepId }: { readonly shown: CaseAnswer; readonly stepId: string }) {
  const { sessionId, applicationId } = shown
  const reading = useRead(stepId, (signal) =>
    api.sessions.readStep({ sessionId, stepId, applicationId }, { signal }),
  )
  return (
    <Shown of={reading}>
      {({ type, name, toolName, model, payload, payloadStatus }) => (
        <>
          <Value outline={outlineOf({ type, name, toolName, model })} />
          {payload ? (
            <Value outline={outlineOf({ input: payload.input, output: payload.output })} />
          ) : (
            <p class="quiet">Its content is not there: {payloadStatus}.</p>
          )}
        </>
      )}
    </Shown>
  )
}
