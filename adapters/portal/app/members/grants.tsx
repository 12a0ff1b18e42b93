import type { MemberRecordAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { Choice } from '../parts/field.tsx'
import type { Entered } from '../parts/form.tsx'
import { permissionList, permissionsOfRole, permissionWords, roleList, roleWords } from './words.ts'

type Role = MemberRecordAnswer['role']
type Grants = Pick<MemberRecordAnswer, 'role' | 'permissions'>

/** Fields for a role, and for the permissions that are granted beside it. */
export function GrantFields({ of, error }: { readonly of: Grants; readonly error: unknown }) {
  const role = useSignal<Role>(of.role)
  const decides = useSignal(of.permissions.includes('Review Cases'))
  return (
    <>
      <Choice
        label="Role"
        name="role"
        value={role.value}
        options={roleList.map((one) => [one, roleWords[one].name] as const)}
        hint={roleWords[role.value].means}
        error={error}
        onChange={({ currentTarget: { value } }) => {
          role.value = roleNamed(value)
        }}
      />
      <fieldset>
        <legend>Permissions</legend>
        {permissionList.map((one) => {
          const isOfRole = permissionsOfRole[role.value].includes(one)
          return (
            <label key={`${one}${isOfRole}`} class="check">
              <input
                type="checkbox"
                name={one}
                defaultChecked={isOfRole || of.permissions.includes(one)}
                disabled={isOfRole}
                onChange={({ currentTarget: { checked } }) => {
                  if (one === 'Review Cases') decides.value = checked
                }}
              />
              <span>
                {permissionWords[one]}
                {isOfRole && <span class="quiet"> (by the role)</span>}
              </span>
            </label>
          )
        })}
      </fieldset>
      <p role="status" class="quiet">
        {decides.value || permissionsOfRole[role.value].includes('Review Cases')
          ? 'They can decide cases.'
          : 'They can look, and decide no case: a reviewer needs the permission for that.'}
      </p>
    </>
  )
}

/** What was entered into them; permissions of the role itself are not granted beside it. */
export function grantsIn(entered: Entered): Grants {
  return {
    role: roleNamed(entered('role')),
    permissions: permissionList.filter((one) => entered(one) === 'on'),
  }
}

function roleNamed(name: string): Role {
  return roleList.find((one) => one === name) ?? 'CustomerAuditor'
}
