import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Actor,
  type ApplicationActor,
  authorize,
  authorizeApplication,
  authorizeMember,
  type CustomerKeyActor,
  type MemberActor,
  permissions,
  permissionsOf,
  type Right,
  type Role,
  rights,
  roles,
} from '@countersign/core/access'
import fc from 'fast-check'

const system: Actor = { kind: 'system' }
const application: ApplicationActor = {
  kind: 'application',
  tenantId: 'ten_1',
  applicationId: 'app_1',
  keyId: 'key_1',
}
const member = (role: Role, granted: MemberActor['permissions']): MemberActor => ({
  kind: 'member',
  tenantId: 'ten_1',
  memberId: 'mem_1',
  role,
  permissions: permissionsOf(role, granted),
})
const customerKey = (type: CustomerKeyActor['type']): CustomerKeyActor => ({
  kind: 'customerKey',
  tenantId: 'ten_1',
  applicationId: 'app_1',
  keyId: 'key_1',
  type,
  ratePerMinute: null,
})
const granted = fc.subarray([...permissions])
const right = fc.constantFrom(...(Object.keys(rights) as Right[]))

// The table of rights written down a second time: one line a right, by who may.
const expected: Readonly<Record<Right, readonly string[]>> = {
  createTenants: [],
  createMembers: [],
  suspendTenants: ['staff'],
  resetPasswords: ['staff'],
  managePurges: ['staff'],
  deleteTenants: ['staff'],
  readMembers: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  manageMembers: ['admin'],
  readAuthenticators: ['admin'],
  readOrganization: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  updateProfile: ['admin'],
  setPlans: ['staff'],
  readAuditLog: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  readApplications: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  createApplications: ['admin'],
  updateApplications: ['admin'],
  deleteApplications: ['admin'],
  setOutcomeCallback: ['admin'],
  readApplicationKeys: ['admin'],
  readReviewStatistics: ['admin'],
  readReviewerKeys: ['application'],
  manageApplicationKeys: ['admin'],
  openCases: ['application'],
  readCases: ['admin', 'reviewer', 'application'],
  reviewCases: ['admin', 'reviewer'],
  cancelCases: ['admin', 'application'],
  answerCases: ['application'],
  replayCallbacks: ['admin', 'manager', 'reviewer'],
  readWebhooks: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  manageWebhooks: ['admin'],
  readReviewEvents: ['admin', 'manager'],
  replayDeliveries: ['admin', 'manager'],
  rotateTenantKeys: [],
  issueCustomerKeys: [],
  readCustomerKeys: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  manageCustomerKeys: ['admin'],
  readSigningKeys: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  rotateSigningKeys: ['admin'],
  executeKeyRequests: ['staff'],
  setCustomerKeyRates: ['staff'],
  sendSessions: ['primaryKey', 'secondaryKey'],
  readIngest: ['primaryKey', 'secondaryKey', 'managementKey'],
  readSessions: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  readPrivacy: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  managePrivacy: ['admin'],
  readPolicies: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  managePolicies: ['admin'],
  readAlertRules: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  manageAlertRules: ['admin'],
  readChannels: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
  manageChannels: ['admin'],
  markSessions: ['admin', 'reviewer'],
  exportSubjects: ['admin'],
  exportEvidence: ['auditor', 'admin', 'manager', 'reviewer', 'exporter'],
}
const actors: Readonly<Record<string, Actor>> = {
  auditor: member('CustomerAuditor', []),
  admin: member('CustomerAdmin', []),
  manager: member('CustomerAuditor', ['Manage Integrations']),
  reviewer: member('CustomerAuditor', ['Review Cases']),
  exporter: member('CustomerAuditor', ['Export Evidence']),
  application,
  primaryKey: customerKey('primary ingest'),
  secondaryKey: customerKey('secondary'),
  managementKey: customerKey('management'),
  staff: { kind: 'staff', name: 'ops' },
}

describe('rights', () => {
  for (const name of Object.keys(rights) as Right[])
    it(`${name} belongs to whom the decisions name`, () => {
      const may = Object.entries(actors)
        .filter(([, actor]) => authorize(actor, name).ok)
        .map(([who]) => who)
      assert.deepEqual(new Set(may), new Set(expected[name]))
      assert.ok(authorize(system, name).ok)
    })

  it('grow with each permission: whoever holds more may no less', () => {
    fc.assert(
      fc.property(right, fc.constantFrom(...roles), granted, granted, (name, role, some, more) => {
        const less = authorize(member(role, some), name)
        const all = authorize(member(role, [...some, ...more]), name)
        assert.ok(!less.ok || all.ok)
      }),
    )
  })

  it('are none for a member who holds the text of a role as a permission', () => {
    const forged = { ...member('CustomerAuditor', []), permissions: [] }
    for (const name of Object.keys(rights) as Right[])
      if (rights[name].members !== 'any') assert.ok(!authorize(forged, name).ok)
  })

  it('of CustomerAdmin cover every right that any member has', () => {
    fc.assert(
      fc.property(right, granted, (name, some) => {
        const auditor = authorize(member('CustomerAuditor', some), name)
        assert.ok(!auditor.ok || authorize(member('CustomerAdmin', []), name).ok)
      }),
    )
  })

  it('that only a human or only an application has are not given to the system', () => {
    for (const name of Object.keys(rights) as Right[]) {
      assert.ok(!authorizeMember(system, name).ok)
      assert.ok(!authorizeMember(application, name).ok)
      assert.ok(!authorizeApplication(system, name).ok)
      assert.ok(!authorizeApplication(member('CustomerAdmin', []), name).ok)
    }
  })

  it('are refused with what it takes', () => {
    const refused = authorize(member('CustomerAuditor', []), 'readCases')
    assert.ok(!refused.ok)
    assert.equal(refused.refusal.code, 'forbidden')
    assert.equal(refused.refusal.detail, 'needs the permission Review Cases or an application key')
  })
})

describe('permissions of a member', () => {
  it('are those of the role and those granted, each once, in the order of the list', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...roles),
        fc.array(fc.constantFrom(...permissions)),
        (role, some) => {
          const held = permissionsOf(role, some)
          assert.deepEqual(
            held,
            permissions.filter((one) => held.includes(one)),
          )
          assert.ok(some.every((one) => held.includes(one)))
          assert.ok(held.includes('Export Evidence'))
          if (role === 'CustomerAdmin') assert.deepEqual(held, permissions)
          else
            assert.deepEqual(
              held,
              permissions.filter((one) => one === 'Export Evidence' || some.includes(one)),
            )
        },
      ),
    )
  })
})
