import { api } from '../client/api.ts'
import type { Reading } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Choice } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Shown } from '../parts/page.tsx'
import { SubjectField } from '../parts/usual-fields.tsx'
import { download } from './downloads.ts'

/** Which applications a package is made of. */
export function ApplicationsPack({
  kind,
  of,
}: {
  readonly kind: 'bulk' | 'auditor'
  readonly of: Reading<ReadonlyMap<string, string>>
}) {
  const writing = useWrite()
  const send = async (_: Entered, given: FormData) => {
    const applicationIds = given.getAll('applicationIds').map(String)
    if (kind === 'bulk')
      await download('Sessions of applications', (more) =>
        api.evidencePackages.exportBulk({ applicationIds }, more),
      )
    else
      await download('Package for an auditor', (more) =>
        api.evidencePackages.exportAuditor({ applicationIds }, more),
      )
  }
  return (
    <Shown of={of}>
      {(names) => (
        <Form writing={writing} onSend={send} send="Make and download">
          <fieldset>
            <legend>Applications, 20 at most</legend>
            {[...names].map(([id, name]) => (
              <label key={id} class="check">
                <input
                  type="checkbox"
                  name="applicationIds"
                  value={id}
                  defaultChecked={names.size === 1}
                />
                <bdi>{name}</bdi>
              </label>
            ))}
          </fieldset>
        </Form>
      )}
    </Shown>
  )
}

/** A package about a person. */
export function SubjectPack() {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const dataSubjectId = entered('dataSubjectId')
    const format = entered('format') === 'pdf' ? 'pdf' : 'zip'
    await download('What is held of a data subject', (more) =>
      api.evidencePackages.exportSubject({ dataSubjectId, format }, more),
    )
  }
  return (
    <Form writing={writing} onSend={send} send="Make and download">
      <SubjectField />
      <Choice
        label="As"
        name="format"
        options={[
          ['zip', 'Everything (ZIP)'],
          ['pdf', 'The report alone (PDF)'],
        ]}
      />
    </Form>
  )
}
