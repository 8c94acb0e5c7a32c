"""`pinakes.toml` and everything else that can set something become one frozen `Config`, read once.

A root, arguments and the environment enter; options leave, one dataclass per room. What the rooms do with
them is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinakes.config.folders import further_roots
from pinakes.config.load import load_config
from pinakes.config.settings import Config, ResolvedSetting, SettingLevel
from pinakes.config.settings_files import default_root, find_project, find_root, settings_stamp, user_file
from pinakes.deferred import deferred

if TYPE_CHECKING:
    from pinakes.config.change import change_project_setting, change_user_setting, check_project_setting
    from pinakes.config.starter import starter_config

__all__ = [
    "Config",
    "ResolvedSetting",
    "SettingLevel",
    "change_project_setting",
    "change_user_setting",
    "check_project_setting",
    "default_root",
    "find_project",
    "find_root",
    "further_roots",
    "load_config",
    "settings_stamp",
    "starter_config",
    "user_file",
]

__getattr__ = deferred(
    __name__,
    {
        **dict.fromkeys(
            ("change_project_setting", "change_user_setting", "check_project_setting"), "pinakes.config.change"
        ),
        "starter_config": "pinakes.config.starter",
    },
)
