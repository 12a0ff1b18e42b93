import { Field } from '../parts/field.tsx'

/** The field in which a member chooses a password. */
export function NewPassword({
  error,
  name = 'password',
}: {
  readonly error: unknown
  readonly name?: string
}) {
  return (
    <Field
      label="New password"
      name={name}
      type="password"
      autoComplete="new-password"
      required
      hint="A few words in a row are easy to keep and hard to guess."
      error={error}
    />
  )
}
