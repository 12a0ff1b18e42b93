import { Field } from '../parts/field.tsx'

/** The password of the admin who changes how members log in. */
export function OwnPassword({ error }: { readonly error: unknown }) {
  return (
    <Field
      label="Your password"
      name="password"
      type="password"
      autoComplete="current-password"
      required
      hint="All admins are told by mail."
      error={error}
    />
  )
}
