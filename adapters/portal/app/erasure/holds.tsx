import type { LegalHoldAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useActors, useApplicationNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Area, Choice } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { SubjectField } from '../parts/usual-fields.tsx'

/** Legal holds, which keep data of persons from being erased or removed for age. */
export function Holds({
  mayChange,
  onChanged,
}: {
  readonly mayChange: boolean
  readonly onChanged: () => void
}) {
  const names = useApplicationNames()
  const actorOf = useActors()
  const open = useSignal<'none' | 'new' | LegalHoldAnswer>('none')
  const read = useRead('', (signal) => api.legalHolds.list({ page: 1, pageSize: 100 }, { signal }))
  const close = () => {
    open.value = 'none'
  }
  const done = () => {
    close()
    read.again()
    onChanged()
  }
  const columns: readonly Column<LegalHoldAnswer>[] = [
    { head: 'Data subject', cell: ({ dataSubjectId }) => <code>{dataSubjectId}</code> },
    {
      head: 'In',
      cell: ({ applicationId }) =>
        applicationId === null ? 'all applications' : (names.get(applicationId) ?? applicationId),
    },
    { head: 'Matter', cell: ({ matter }) => <bdi>{matter}</bdi> },
    {
      head: 'Placed',
      cell: ({ placedAt, placedBy }) => (
        <>
          <Time at={placedAt} /> by <bdi>{actorOf(placedBy)}</bdi>
        </>
      ),
    },
    {
      head: 'State',
      cell: ({ releasedAt, releaseReason }) =>
        releasedAt === null ? (
          'Active'
        ) : (
          <>
            Released <Time at={releasedAt} />: <bdi>{releaseReason}</bdi>
          </>
        ),
    },
  ]
  const act: Column<LegalHoldAnswer> = {
    head: 'Act',
    cell: (hold) =>
      hold.releasedAt === null && (
        <button
          type="button"
          aria-label={`Release the hold on ${hold.dataSubjectId}`}
          onClick={() => {
            open.value = hold
          }}
        >
          Release
        </button>
      ),
  }
  return (
    <Section
      id="holds"
      title="Legal holds"
      act={
        mayChange && {
          label: 'Place a hold',
          onPress: () => {
            open.value = 'new'
          },
        }
      }
    >
      <Shown of={read}>
        {({ legalHolds, totalCount }) =>
          totalCount === 0 ? (
            <Empty>
              No hold was placed. While one is active, nothing of its person is erased or removed
              for age.
            </Empty>
          ) : (
            <>
              <Rows
                caption="Legal holds"
                columns={mayChange ? [...columns, act] : columns}
                rows={legalHolds}
                keyOf={({ holdId }) => holdId}
              />
              {totalCount > legalHolds.length && (
                <p class="quiet">
                  The latest {legalHolds.length} of {totalCount}.
                </p>
              )}
            </>
          )
        }
      </Shown>
      {open.value === 'new' && (
        <Dialog title="Place a hold" onClose={close}>
          <HoldForm names={names} onDone={done} />
        </Dialog>
      )}
      {typeof open.value === 'object' && (
        <Dialog title="Release the hold" onClose={close}>
          <ReleaseForm holdId={open.value.holdId} onDone={done} />
        </Dialog>
      )}
    </Section>
  )
}

function HoldForm({
  names,
  onDone,
}: {
  readonly names: ReadonlyMap<string, string>
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const asked = {
      dataSubjectId: entered('dataSubjectId'),
      applicationId: entered('applicationId') || null,
      matter: entered('matter'),
    }
    if (await writing.run(() => api.legalHolds.place(asked))) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Place the hold">
      <SubjectField error={error} />
      <Choice
        label="In"
        name="applicationId"
        options={[['', 'all applications'], ...names]}
        error={error}
      />
      <Area label="Matter" name="matter" required rows={3} error={error} />
    </Form>
  )
}

function ReleaseForm({ holdId, onDone }: { readonly holdId: string; readonly onDone: () => void }) {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    if (await writing.run(() => api.legalHolds.release({ holdId, reason: entered('reason') })))
      onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Release">
      <p>Erasures that waited for it go on, and what is old enough is removed.</p>
      <Area label="Why" name="reason" required rows={3} error={writing.error.value} />
    </Form>
  )
}
