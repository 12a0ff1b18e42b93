import type { AnyComponent } from 'preact'
import { lazy } from 'preact-iso'
import type { PageProps } from './parts/page.tsx'
import { isAdmin, may } from './session.ts'

/** A page for members: where it is, and, if the navigation has it, its name there and who sees it. */
export interface PageEntry {
  readonly path: string
  readonly component: AnyComponent<PageProps>
  readonly label?: string
  /** The entry of the navigation that it lies behind; it lies in the bar itself unless given. */
  readonly group?: 'Organization'
  /** Whether the navigation shows it to this member; all see it unless given. */
  readonly shown?: () => boolean
}

/** Pages without a login. */
export const openPages: readonly PageEntry[] = [
  { path: '/login', component: lazy(() => import('./pages/login.tsx')) },
  { path: '/invitation', component: lazy(() => import('./pages/invitation.tsx')) },
  { path: '/forgotten', component: lazy(() => import('./pages/forgotten.tsx')) },
  { path: '/reset', component: lazy(() => import('./pages/reset.tsx')) },
]

/** For entries of the navigation that a right opens; admins have each. */
export const withRight = (right: Parameters<typeof may>[0]) => (): boolean =>
  isAdmin.value || may(right)

/** Pages of members, in the order of the navigation. */
export const memberPages: readonly PageEntry[] = [
  { path: '/', component: lazy(() => import('./pages/home.tsx')), label: 'Overview' },
  {
    path: '/queue',
    component: lazy(() => import('./queue/queue-page.tsx')),
    label: 'Queue',
    shown: withRight('Review Cases'),
  },
  { path: '/cases/:reviewCaseId', component: lazy(() => import('./case/case-page.tsx')) },
  {
    path: '/evidence',
    component: lazy(() => import('./evidence/sessions-page.tsx')),
    label: 'Evidence',
  },
  {
    path: '/evidence/sessions/:sessionId',
    component: lazy(() => import('./evidence/session-page.tsx')),
  },
  { path: '/evidence/packages', component: lazy(() => import('./evidence/packages-page.tsx')) },
  {
    path: '/webhooks',
    component: lazy(() => import('./webhooks/list-page.tsx')),
    label: 'Webhooks',
    shown: withRight('Manage Integrations'),
  },
  { path: '/webhooks/new', component: lazy(() => import('./webhooks/new-page.tsx')) },
  { path: '/webhooks/:webhookId', component: lazy(() => import('./webhooks/webhook-page.tsx')) },
  { path: '/webhooks/:webhookId/edit', component: lazy(() => import('./webhooks/edit-page.tsx')) },
  {
    path: '/webhooks/:webhookId/recover',
    component: lazy(() => import('./webhooks/recover-page.tsx')),
  },
  {
    path: '/webhooks/:webhookId/:eventId',
    component: lazy(() => import('./webhooks/inspector-page.tsx')),
  },
  { path: '/events/:eventId', component: lazy(() => import('./webhooks/event-page.tsx')) },
  {
    path: '/channels',
    component: lazy(() => import('./channels/list-page.tsx')),
    label: 'Chat channels',
    group: 'Organization',
  },
  { path: '/channels/new', component: lazy(() => import('./channels/new-page.tsx')) },
  { path: '/channels/:channelId', component: lazy(() => import('./channels/channel-page.tsx')) },
  { path: '/channels/:channelId/edit', component: lazy(() => import('./channels/edit-page.tsx')) },
  {
    path: '/alerts',
    component: lazy(() => import('./alerts/list-page.tsx')),
    label: 'Alert rules',
    group: 'Organization',
  },
  { path: '/alerts/new', component: lazy(() => import('./alerts/new-page.tsx')) },
  { path: '/alerts/:alertRuleId', component: lazy(() => import('./alerts/alert-page.tsx')) },
  { path: '/alerts/:alertRuleId/edit', component: lazy(() => import('./alerts/edit-page.tsx')) },
  {
    path: '/applications',
    component: lazy(() => import('./applications/list-page.tsx')),
    label: 'Applications',
    shown: withRight('Manage Integrations'),
  },
  { path: '/applications/new', component: lazy(() => import('./applications/new-page.tsx')) },
  {
    path: '/applications/:applicationId/edit',
    component: lazy(() => import('./applications/edit-page.tsx')),
  },
  {
    path: '/applications/:applicationId',
    component: lazy(() => import('./applications/application-page.tsx')),
  },
  {
    path: '/members',
    component: lazy(() => import('./pages/members.tsx')),
    label: 'Members',
    group: 'Organization',
  },
  {
    path: '/keys',
    component: lazy(() => import('./pages/keys.tsx')),
    label: 'API keys',
    group: 'Organization',
  },
  {
    path: '/erasure',
    component: lazy(() => import('./erasure/erasure-page.tsx')),
    label: 'Data subjects',
    group: 'Organization',
  },
  {
    path: '/audit',
    component: lazy(() => import('./audit/audit-page.tsx')),
    label: 'Audit log',
    group: 'Organization',
  },
  {
    path: '/organization',
    component: lazy(() => import('./organization/organization-page.tsx')),
    label: 'Profile and plan',
    group: 'Organization',
  },
  { path: '/me', component: lazy(() => import('./pages/me.tsx')) },
]
