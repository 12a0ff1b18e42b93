import type { AlertRuleAnswer } from '@countersign/client'

/** Whether a rule has gone off, in words with their colour. */
export function State({ rule: { state, enabled } }: { readonly rule: AlertRuleAnswer }) {
  if (!enabled) return <span class="quiet">turned off</span>
  return state === 'triggered' ? <span class="bad">gone off</span> : <span class="good">quiet</span>
}
