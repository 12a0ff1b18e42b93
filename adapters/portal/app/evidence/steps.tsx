import type { SessionAnswer, StepAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Raw } from '../parts/raw.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { stepTypeWords } from './words.ts'

type Of = Pick<SessionAnswer, 'sessionId' | 'applicationId'>

/** The steps of a session in their order; the content of one is read when it is opened. */
export function Steps({ session: { sessionId, applicationId } }: { readonly session: Of }) {
  const page = usePage()
  const opened = useSignal<StepAnswer | null>(null)
  const asked = { sessionId, applicationId, page, pageSize: 50 }
  const read = useRead(JSON.stringify(asked), (signal) => api.sessions.listSteps(asked, { signal }))
  const columns: readonly Column<StepAnswer>[] = [
    {
      head: 'Step',
      cell: (step) => (
        <button
          type="button"
          onClick={() => {
            opened.value = step
          }}
        >
          <bdi>{step.name}</bdi>
        </button>
      ),
    },
    { head: 'Kind', cell: ({ type }) => stepTypeWords[type] ?? type },
    {
      head: 'Tool or model',
      cell: ({ toolName, model }) => <bdi>{toolName ?? model ?? '–'}</bdi>,
    },
    { head: 'Began', cell: ({ startedAt }) => <Time at={startedAt} exact /> },
    {
      head: 'Took',
      cell: ({ startedAt, endedAt }) => `${Date.parse(endedAt) - Date.parse(startedAt)} ms`,
    },
    {
      head: 'Ended',
      cell: ({ status, late, truncated }) => (
        <>
          {status === 'error' ? <span class="bad">with an error</span> : 'well'}
          {late && ', came late'}
          {truncated && ', cut short at its source'}
        </>
      ),
    },
  ]
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">Steps</h2>
      <Shown of={read}>
        {(list) =>
          list.totalCount === 0 ? (
            <Empty>The session has no steps.</Empty>
          ) : (
            <>
              <Rows
                caption="Steps"
                columns={columns}
                rows={list.steps}
                keyOf={({ stepId }) => stepId}
              />
              <Pager of={list} />
            </>
          )
        }
      </Shown>
      {opened.value && (
        <Dialog
          title={opened.value.name}
          onClose={() => {
            opened.value = null
          }}
        >
          <Content session={{ sessionId, applicationId }} stepId={opened.value.stepId} />
        </Dialog>
      )}
    </section>
  )
}

function Content({ session, stepId }: { readonly session: Of; readonly stepId: string }) {
  const read = useRead(stepId, (signal) =>
    api.sessions.readStep({ ...session, stepId }, { signal }),
  )
  return (
    <Shown of={read}>
      {({ payload, payloadStatus, redactions }) => (
        <>
          {redactions > 0 && <p>{redactions} values were redacted before it was stored.</p>}
          {payload === null ? (
            <p>{payloadStatus === 'erased' ? 'Its content was erased.' : 'It has no content.'}</p>
          ) : (
            (['input', 'output', 'attributes'] as const).map((name) => (
              <Raw key={name} label={name} text={textOf(payload[name])} />
            ))
          )}
        </>
      )}
    </Shown>
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)
