import type { SubjectAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useApplicationNames } from '../client/names.ts'
import { useWrite } from '../client/use-write.ts'
import { type Entered, Form } from '../parts/form.tsx'
import { Facts } from '../parts/rows.tsx'
import { SubjectField } from '../parts/usual-fields.tsx'
import { to } from '../paths.ts'

/** Whether anything is held of a person, by the application's own id of them. */
export function Lookup() {
  const writing = useWrite()
  const found = useSignal<SubjectAnswer | null>(null)
  const names = useApplicationNames()
  const send = async (entered: Entered) => {
    found.value = null
    const dataSubjectId = entered('dataSubjectId')
    found.value = (await writing.run(() => api.subjects.lookup({ dataSubjectId }))) ?? null
  }
  const subject = found.value
  return (
    <section aria-labelledby="lookup">
      <h2 id="lookup">What is held of a person</h2>
      <Form writing={writing} onSend={send} send="Look up">
        <SubjectField error={writing.error.value} />
      </Form>
      {subject && (
        <div role="status">
          <Facts
            facts={[
              ['Pseudonym', <code key="id">{subject.dataSubjectId}</code>],
              [
                'Applications',
                <bdi key="names">
                  {subject.applicationIds.map((id) => names.get(id) ?? id).join(', ') || 'none'}
                </bdi>,
              ],
              [
                'Sessions',
                subject.sessionCount > 0 ? (
                  <a href={to(`/evidence?dataSubjectId=${subject.dataSubjectId}`)}>
                    {subject.sessionCount}
                  </a>
                ) : (
                  0
                ),
              ],
              ['Cases', subject.caseCount],
              ['Legal holds', subject.activeHolds],
            ]}
          />
        </div>
      )}
    </section>
  )
}
