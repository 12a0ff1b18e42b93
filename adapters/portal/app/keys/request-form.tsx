import type { KeyRequestAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Area, Choice } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { actionWords } from './words.ts'

type Action = KeyRequestAnswer['action']

const actions = Object.keys(actionWords) as readonly Action[]
const types = ['primary ingest', 'management'] as const

/** A request to staff; which fields it has depends on what is asked for. */
export function RequestForm({
  applications,
  onDone,
}: {
  readonly applications: ReadonlyMap<string, string>
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const error = writing.error.value
  const action = useSignal<Action>('issue-customer-key')
  const keys = useRead('', (signal) =>
    api.customerKeys.list({ page: 1, pageSize: 100 }, { signal }),
  )
  const active = keys.data.value?.customerKeys.filter(({ status }) => status === 'Active') ?? []
  const ofApplication = action.value.startsWith('issue-')
  const send = async (entered: Entered) => {
    const type = types.find((one) => one === entered('type'))
    const asked = {
      action: action.value,
      reason: entered('reason'),
      ...(ofApplication && { applicationId: entered('applicationId') }),
      ...(action.value === 'issue-customer-key' && { type }),
      ...(action.value === 'revoke-key' && { keyId: entered('keyId') }),
    }
    if (await writing.run(() => api.keyRequests.submit(asked))) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Ask">
      <Choice
        label="What staff is to do"
        name="action"
        value={action.value}
        options={actions.map((one) => [one, actionWords[one]] as const)}
        onChange={({ currentTarget: { value } }) => {
          action.value = actions.find((one) => one === value) ?? 'issue-customer-key'
        }}
      />
      {ofApplication && (
        <Choice
          label="Application"
          name="applicationId"
          options={[...applications]}
          error={error}
        />
      )}
      {action.value === 'issue-customer-key' && (
        <Choice
          label="Type"
          name="type"
          options={types.map((type) => [type, type] as const)}
          error={error}
        />
      )}
      {action.value === 'revoke-key' && (
        <Choice
          label="Key"
          name="keyId"
          options={active.map(({ keyId, prefix }) => [keyId, prefix] as const)}
          error={error}
        />
      )}
      <Area label="Why" name="reason" required rows={3} error={error} />
    </Form>
  )
}
