export { FIRST_DAY_RULES, type ProposedRule, proposeFirstDay } from './first-day.js'
export { RiskGate } from './gate.js'
export type { RiskPorts } from './ports.js'
export {
  DEFAULT_RULES,
  RISK_RULES,
  type RiskRefusal,
  type RiskRules,
  refusalCode,
  riskRulesChange,
} from './schema.js'
