import type { InvitationAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { GrantFields, grantsIn } from './grants.tsx'

export function InviteForm({
  onDone,
}: {
  readonly onDone: (invitation: InvitationAnswer) => void
}) {
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const asked = { email: entered('email'), ...grantsIn(entered) }
    const invitation = await writing.run(() => api.invitations.create(asked))
    if (invitation) onDone(invitation)
  }
  return (
    <Form writing={writing} onSend={send} send="Invite">
      <Field
        label="E-mail address"
        name="email"
        type="email"
        required
        hint="The link goes there, works once, and ends after 72 hours."
        error={error}
      />
      <GrantFields of={{ role: 'CustomerAuditor', permissions: [] }} error={error} />
    </Form>
  )
}
