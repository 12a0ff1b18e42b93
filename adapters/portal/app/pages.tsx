import { exec } from 'preact-iso/router'
import { atHand, type Later, later } from './parts/later.tsx'
import type { PageProps } from './parts/page.tsx'
import { base } from './paths.ts'
import QueuePage from './queue/queue-page.tsx'
import { isAdmin, may } from './session.ts'

/** A page for members: where it is, and, if the navigation has it, its name there and who sees it. */
export interface PageEntry {
  readonly path: string
  readonly component: Later<PageProps>
  readonly label?: string
  /** The entry of the navigation that it lies behind; it lies in the bar itself unless given. */
  readonly group?: 'Organization'
  /** Whether the navigation shows it to this member; all see it unless given. */
  readonly shown?: () => boolean
}

/** Pages without a login. */
export const openPages: readonly PageEntry[] = [
  { path: '/login', component: later(() => import('./pages/login.tsx')) },
  { path: '/login/organization', component: later(() => import('./pages/organization-login.tsx')) },
  { path: '/login/provider', component: later(() => import('./pages/provider-answer.tsx')) },
  { path: '/invitation', component: later(() => import('./pages/invitation.tsx')) },
  { path: '/forgotten', component: later(() => import('./pages/forgotten.tsx')) },
  { path: '/reset', component: later(() => import('./pages/reset.tsx')) },
]

/** For entries of the navigation that a right opens; admins have each. */
export const withRight = (right: Parameters<typeof may>[0]) => (): boolean =>
  isAdmin.value || may(right)

/** Pages of members, in the order of the navigation. */
export const memberPages: readonly PageEntry[] = [
  { path: '/', component: later(() => import('./pages/home.tsx')), label: 'Overview' },
  {
    path: '/queue',
    component: atHand(QueuePage),
    label: 'Queue',
    shown: withRight('Review Cases'),
  },
  { path: '/cases/:reviewCaseId', component: later(() => import('./case/case-page.tsx')) },
  {
    path: '/evidence',
    component: later(() => import('./evidence/sessions-page.tsx')),
    label: 'Evidence',
  },
  {
    path: '/evidence/sessions/:sessionId',
    component: later(() => import('./evidence/session-page.tsx')),
  },
  { path: '/evidence/packages', component: later(() => import('./evidence/packages-page.tsx')) },
  {
    path: '/webhooks',
    component: later(() => import('./webhooks/list-page.tsx')),
    label: 'Webhooks',
    shown: withRight('Manage Integrations'),
  },
  { path: '/webhooks/new', component: later(() => import('./webhooks/new-page.tsx')) },
  { path: '/webhooks/:webhookId', component: later(() => import('./webhooks/webhook-page.tsx')) },
  { path: '/webhooks/:webhookId/edit', component: later(() => import('./webhooks/edit-page.tsx')) },
  {
    path: '/webhooks/:webhookId/recover',
    component: later(() => import('./webhooks/recover-page.tsx')),
  },
  {
    path: '/webhooks/:webhookId/:eventId',
    component: later(() => import('./webhooks/inspector-page.tsx')),
  },
  { path: '/events/:eventId', component: later(() => import('./webhooks/event-page.tsx')) },
  {
    path: '/channels',
    component: later(() => import('./channels/list-page.tsx')),
    label: 'Chat channels',
    group: 'Organization',
  },
  { path: '/channels/new', component: later(() => import('./channels/new-page.tsx')) },
  { path: '/channels/:channelId', component: later(() => import('./channels/channel-page.tsx')) },
  { path: '/channels/:channelId/edit', component: later(() => import('./channels/edit-page.tsx')) },
  {
    path: '/alerts',
    component: later(() => import('./alerts/list-page.tsx')),
    label: 'Alert rules',
    group: 'Organization',
  },
  { path: '/alerts/new', component: later(() => import('./alerts/new-page.tsx')) },
  { path: '/alerts/:alertRuleId', component: later(() => import('./alerts/alert-page.tsx')) },
  { path: '/alerts/:alertRuleId/edit', component: later(() => import('./alerts/edit-page.tsx')) },
  {
    path: '/applications',
    component: later(() => import('./applications/list-page.tsx')),
    label: 'Applications',
    shown: withRight('Manage Integrations'),
  },
  { path: '/applications/new', component: later(() => import('./applications/new-page.tsx')) },
  {
    path: '/applications/:applicationId/edit',
    component: later(() => import('./applications/edit-page.tsx')),
  },
  {
    path: '/applications/:applicationId',
    component: later(() => import('./applications/application-page.tsx')),
  },
  {
    path: '/members',
    component: later(() => import('./pages/members.tsx')),
    label: 'Members',
    group: 'Organization',
  },
  {
    path: '/keys',
    component: later(() => import('./pages/keys.tsx')),
    label: 'API keys',
    group: 'Organization',
  },
  {
    path: '/erasure',
    component: later(() => import('./erasure/erasure-page.tsx')),
    label: 'Data subjects',
    group: 'Organization',
  },
  {
    path: '/audit',
    component: later(() => import('./audit/audit-page.tsx')),
    label: 'Audit log',
    group: 'Organization',
  },
  {
    path: '/organization',
    component: later(() => import('./organization/organization-page.tsx')),
    label: 'Profile and plan',
    group: 'Organization',
  },
  { path: '/me', component: later(() => import('./pages/me.tsx')) },
]

/** Begins to load the page that an address leads to, while it is not known yet who asks for it. */
export function preloadPage(address: string): void {
  try {
    const page = [...openPages, ...memberPages].find(({ path }) => exec(address, base + path))
    page?.component.preload()
  } catch {
    // What can not be decoded leads to no page.
  }
}
