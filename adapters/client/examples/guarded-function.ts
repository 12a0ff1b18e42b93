import type { Client } from '@countersign/client'
import type { Pay } from './payment.ts'

/**
 * A function that pays only what a person approved. The order's id is the checkpoint: called again for that order, as
 * after a restart, it goes on waiting for the same case.
 */
export function guardedPay(client: Client, sessionId: string, pay: Pay): Pay {
  return async (payment) => {
    const { approved, decision, reviewCaseId } = await client.reviewCases.request({
      sessionId,
      checkpointId: `pay-${payment.orderId}`,
      reasonCategory: 'high_risk_action',
      presentation: { action: { tool: 'pay', arguments: payment } },
    })
    // Evidence then has what came of the decision.
    const outcome = approved ? 'resumed' : 'terminated'
    await client.reviewCases.reportContinuation({ reviewCaseId, outcome })
    if (!approved) throw new Error(`the payment of order ${payment.orderId} was ${decision}`)
    return pay(payment)
  }
}
