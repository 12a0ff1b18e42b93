import type { MemberActor } from '@countersign/core'
import { invitations, members, rosters } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import type { Command, MemberAct } from '../plan.ts'
import { keyText } from '../truth.ts'
import { memberActor } from './cast.ts'
import type { HeldInvitation, HeldSession } from './organization-memory.ts'
import type { Stage } from './stage.ts'

/** Members come and go in the organization of the stranger, so that who plays the rest stays. */
export async function actOnMembers(
  stage: Stage,
  command: Extract<Command, { kind: MemberAct }>,
): Promise<void> {
  const draw = seededRandom(command.draw)
  const admin = adminOf(stage, draw)
  if (admin) await acts[command.kind]({ ...stage, admin, member: command.member }, draw)
}

interface Scene extends Stage {
  readonly admin: MemberActor
  readonly member: number
}

type Act = (scene: Scene, draw: SeededRandom) => Promise<void>

const password = 'correct horse battery'
const address = '192.0.2.1'

function pick<T>(draw: SeededRandom, from: readonly T[]): T | undefined {
  return from[draw.below(Math.max(1, from.length))]
}

function adminOf({ truth, cast }: Stage, draw: SeededRandom): MemberActor | null {
  const { tenantId } = cast.stranger
  const memberId = pick(draw, truth.rows(rosters).get(tenantId)?.row.admins ?? [])
  return memberId === undefined ? null : memberActor(tenantId, memberId, 'CustomerAdmin')
}

/** Members of the organization, whatever their status; the same place may be another one later. */
function memberAt({ truth, cast, member }: Scene): string {
  const all = [...truth.rows(members).values()].filter(
    ({ row }) => row.tenantId === cast.stranger.tenantId,
  )
  return all[member % Math.max(1, all.length)]?.row.memberId ?? ''
}

const acts: Readonly<Record<MemberAct, Act>> = {
  async invite(scene, draw) {
    const { client, admin, member, memory } = scene
    const email = `person-${member}@example.test`
    const role = draw.chance(0.5) ? ('CustomerAdmin' as const) : ('CustomerAuditor' as const)
    const heard = await client.ask(draw, `invite ${email}`, (service) =>
      service.invitations.create(admin, { email, role }),
    )
    if (heard.kind === 'ok') remember(memory.invitations, heard.value)
  },
  async resend({ client, admin, memory }, draw) {
    const one = pick(draw, memory.invitations)
    if (!one) return
    const heard = await client.ask(draw, `resend ${one.invitationId}`, (service) =>
      service.invitations.resend(admin, { invitationId: one.invitationId }),
    )
    if (heard.kind === 'ok') remember(memory.invitations, heard.value)
  },
  async withdraw({ client, admin, memory }, draw) {
    const one = pick(draw, memory.invitations)
    if (!one) return
    await client.ask(draw, `withdraw ${one.invitationId}`, (service) =>
      service.invitations.withdraw(admin, { invitationId: one.invitationId }),
    )
  },
  async accept(scene, draw) {
    const one = pick(draw, scene.memory.invitations)
    if (!one) return
    // Two at once, now and then.
    const other = seededRandom(draw.below(2 ** 32))
    const twice = draw.chance(0.4)
    await Promise.all([accept(scene, one, draw), ...(twice ? [accept(scene, one, other)] : [])])
    const session = one.accepted > 0 ? await logIn(scene, one.email, draw) : null
    // Plans are short: without this hardly one shuts out somebody who has a session.
    if (session && draw.chance(0.4)) await deactivate(scene, session.memberId, draw)
  },
  deactivate: (scene, draw) => deactivate(scene, memberAt(scene), draw),
  async reactivate(scene, draw) {
    const { client, admin } = scene
    const memberId = memberAt(scene)
    await client.ask(draw, `reactivate ${memberId}`, (service) =>
      service.members.reactivate(admin, { memberId }),
    )
  },
  async set_role(scene, draw) {
    const { client, admin } = scene
    const memberId = memberAt(scene)
    const role = draw.chance(0.4) ? ('CustomerAdmin' as const) : ('CustomerAuditor' as const)
    await client.ask(draw, `set the role of ${memberId}`, (service) =>
      service.members.setRole(admin, { memberId, role, permissions: [] }),
    )
  },
  async login(scene, draw) {
    // Who was let in, mostly: a stranger's login is refused.
    const joined = scene.memory.invitations.filter(({ accepted }) => accepted > 0)
    await logIn(scene, pick(draw, joined)?.email ?? `person-${scene.member}@example.test`, draw)
  },
  async use_session(scene, draw) {
    const one = pick(draw, scene.memory.sessions)
    if (one) await use(scene, one, draw)
  },
}

function remember(
  all: HeldInvitation[],
  view: {
    readonly invitationId: string
    readonly email: string
    readonly acceptUrl: string | null
  },
): void {
  const { invitationId, email, acceptUrl } = view
  const token = acceptUrl?.split('#').at(-1)
  if (token !== undefined) all.push({ invitationId, email, token, accepted: 0 })
}

async function accept(
  { client, truth, cast, world }: Scene,
  one: HeldInvitation,
  draw: SeededRandom,
): Promise<void> {
  const { invitationId, token } = one
  const heard = await client.ask(draw, `accept ${invitationId}`, (service) =>
    service.auth.acceptInvitation({ token, name: 'A person', password, address }),
  )
  if (heard.kind !== 'ok') return
  one.accepted++
  if (one.accepted > 1)
    world.broken('an invitation is taken once', `${invitationId} is accepted again`)
  const key = keyText([cast.stranger.tenantId, invitationId])
  if (truth.rows(invitations).get(key)?.row.status !== 'accepted')
    world.broken('acknowledged is kept', `${invitationId} was told as accepted, not committed`)
}

/** Shuts a member out, who then tries each session again. */
async function deactivate(scene: Scene, memberId: string, draw: SeededRandom): Promise<void> {
  const { client, admin } = scene
  const heard = await client.ask(draw, `deactivate ${memberId}`, (service) =>
    service.members.deactivate(admin, { memberId, confirm: true }),
  )
  if (heard.kind === 'ok') for (const each of heldBy(scene, memberId)) await use(scene, each, draw)
}

/** Logs a member in, who then uses the session; null where none was given. */
async function logIn(stage: Stage, email: string, draw: SeededRandom): Promise<HeldSession | null> {
  const { client, memory, truth, world } = stage
  const row = () => [...truth.rows(members).values()].find((one) => one.row.emailKey === email)?.row
  let before = row()
  const heard = await client.ask(draw, `log in ${email}`, (service) => {
    before = row()
    return service.auth.login({ email, password, address })
  })
  if (heard.kind !== 'ok') return null
  const after = row()
  // A deactivation raises the version, so nothing was active in between.
  const asBefore = before?.sessionVersion === after?.sessionVersion
  if (asBefore && before?.status !== 'Active' && after?.status !== 'Active')
    world.broken('an ended session opens nothing', `${email} logs in, and is ${after?.status}`)
  const { token, tenantId, member: of } = heard.value
  const { memberId } = of
  const held = { token, tenantId, memberId, sessionVersion: versionIn(token) }
  memory.sessions.push(held)
  await use(stage, held, draw)
  return held
}

function heldBy({ memory }: Stage, memberId: string): readonly HeldSession[] {
  return memory.sessions.filter((one) => one.memberId === memberId)
}

/** Tokens of the simulation show their claims. */
function versionIn(token: string): number {
  const text = Buffer.from(token.split('.')[0] ?? '', 'hex').toString('utf8')
  return Number((JSON.parse(text) as { readonly sessionVersion: number }).sessionVersion)
}

/** A request with a session that a commit had ended before is refused. */
async function use(stage: Stage, held: HeldSession, draw: SeededRandom): Promise<void> {
  const { client, truth, world } = stage
  const { token, tenantId, memberId, sessionVersion } = held
  const holds = () => {
    const row = truth.rows(members).get(keyText([tenantId, memberId]))?.row
    return row?.status === 'Active' && row.sessionVersion === sessionVersion
  }
  let before = false
  const heard = await client.ask(draw, `use a session of ${memberId}`, (service) => {
    before = holds()
    return service.access.authenticateMember(token)
  })
  if (heard.kind === 'ok' && !before)
    world.broken('an ended session opens nothing', `${memberId} gets in by one that was ended`)
}

/** At the end every session that was ever issued is tried. */
export async function useSessions(stage: Stage, draw: SeededRandom): Promise<void> {
  for (const held of stage.memory.sessions) await use(stage, held, draw)
}
