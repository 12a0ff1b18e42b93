import { Field } from './field.tsx'

/** The address by which a member logs in. */
export function EmailField({ error, value }: { readonly error: unknown; readonly value?: string }) {
  return (
    <Field
      label="E-mail address"
      name="email"
      type="email"
      autoComplete="username"
      required
      value={value}
      error={error}
    />
  )
}

/** Whom something is about. */
export function SubjectField({ error }: { readonly error?: unknown }) {
  return (
    <Field
      label="Data subject"
      name="dataSubjectId"
      required
      autoComplete="off"
      hint="The application’s own id of the person, or the pseudonym that begins with sub_."
      error={error}
    />
  )
}
