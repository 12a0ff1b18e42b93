import type { MemberRecordAnswer } from '@countersign/client'

type Role = MemberRecordAnswer['role']
type Permission = MemberRecordAnswer['permissions'][number]

/** Roles, and what they mean. */
export const roleWords: Readonly<Record<Role, { readonly name: string; readonly means: string }>> =
  {
    CustomerAdmin: {
      name: 'Admin',
      means: 'Admin: may do all that an organization can, with every permission.',
    },
    CustomerAuditor: {
      name: 'Auditor',
      means: 'Auditor: reads the organization’s pages and exports evidence.',
    },
  }

/** What each permission lets a member do. */
export const permissionWords: Readonly<Record<Permission, string>> = {
  'Review Cases': 'Reads review cases and decides them',
  'Manage Integrations': 'Looks into deliveries and sends them again',
  'Export Evidence': 'Exports evidence of sessions and downloads packages',
}

/** Permissions that each role has without being granted them. */
export const permissionsOfRole: Readonly<Record<Role, readonly Permission[]>> = {
  CustomerAdmin: ['Manage Integrations', 'Review Cases', 'Export Evidence'],
  CustomerAuditor: ['Export Evidence'],
}

/** What a member's status means. */
export const statusWords: Readonly<Record<MemberRecordAnswer['status'], string>> = {
  Active: 'Active',
  'Pending invitation': 'Invited',
  Suspended: 'Deactivated',
}

export const permissionList = Object.keys(permissionWords) as readonly Permission[]
export const roleList = Object.keys(roleWords) as readonly Role[]
